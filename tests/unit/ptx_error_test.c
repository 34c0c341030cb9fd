/* ptx/: what is wrong in a text is reported at its line and column, in words; limits end in errors, never in crashes.
 */
#include "ptx_util.h"

static void expect(const char *text, int line, int col, const char *msg)
{
    struct err e;
    struct ptx_module *m = ptx_parse(text, strlen(text), "bad.ptx", &e);
    if (m)
        fail_msg("parsed, although: %s", msg);
    assert_string_equal(e.msg, msg);
    assert_int_equal(e.line, line);
    assert_int_equal(e.col, col);
    assert_string_equal(e.file, "bad.ptx");
    assert_null(ptx_parse(text, strlen(text), "bad.ptx", NULL));
}

/* The body starts in line 2, column 1. */
#define BODY(s)                                                                                                        \
    ".version 8.0 .target sm_75 .address_size 64 .entry k(.param .u64 a) { .reg .b32 %r<9>; .reg .pred %p<3>; .reg "   \
    ".b64 %rd<9>;\n" s "\n}"

static void module_level(void **state)
{
    (void)state;
    expect("", 1, 1, "expected '.version', which starts every PTX text, found the end of the text");
    expect("hello", 1, 1, "expected '.version', which starts every PTX text, found 'hello'");
    expect(".version x", 1, 10, "expected a version such as 9.0, found 'x'");
    expect(".version 8.0 .target 75", 1, 22, "expected a target such as sm_75, found '75'");
    expect(".version 8.0 .target sm_75 .address_size 32", 1, 42, "weir runs 64-bit PTX only, this is 32-bit");
    expect(HEAD "  .wrong x;", 4, 3, "expected a directive of a module, found '.wrong'");
    expect(HEAD "add.u32 x;", 4, 1, "expected a directive, found 'add'");
    expect(HEAD ".entry (", 4, 9, "expected '.param' or '.reg', found the end of the text");
    expect(HEAD ".entry k(.u32 x)", 4, 10, "expected '.param' or '.reg', found '.u32'");
    expect(HEAD ".entry k() ret", 4, 12, "expected ';', found 'ret'");
    expect(HEAD ".entry k() { ret; }\n.entry k() { ret; }", 5, 8, "'k' is already defined");
    expect(HEAD ".func k();\n.entry k() { ret; }", 5, 8, "'k' is already declared as something else");
    expect(HEAD ".global .u32 x;\n.global .u32 x;", 5, 14, "'x' is already declared");
    expect(HEAD ".entry k() {\n ret;\n", 6, 1,
           "expected an instruction, a declaration or '}', found the end of the text");
    expect(HEAD "/* never closed", 4, 1, "comment without end");
    expect(HEAD ".section .debug_str { ", 4, 23, "expected '}', found the end of the text");
    expect(HEAD ".alias a, b;", 4, 8, "an alias needs a function that is declared without body");
}

static void declarations(void **state)
{
    (void)state;
    expect(HEAD ".global x;", 4, 9, "expected a type, found 'x'");
    expect(HEAD ".global .pred x;", 4, 15, "a variable cannot have type .pred");
    expect(HEAD ".global .align 3 .u32 x;", 4, 16, "alignment must be a power of two");
    expect(HEAD ".global .u32 x[4", 4, 17, "expected ']', found the end of the text");
    expect(HEAD ".global .u32 x[1.5];", 4, 16, "expected an integer from 0 to 1099511627776");
    expect(HEAD ".global .b64 x[1099511627776][4];", 4, 14, "'x' is too large");
    expect(HEAD ".global .u32 x[2] = {1, 2, 3};", 4, 28, "more initial values than elements");
    expect(HEAD ".global .u8 x[2] = {y};", 4, 21, "an address needs a 32- or 64-bit element");
    expect(HEAD ".global .u64 x = nowhere;", 4, 18, "'nowhere' is not declared");
    expect(HEAD ".global .u8 x = 0x0ff1(x);", 4, 17, "expected a mask of one byte, such as 0xff00, and 8-bit elements");
    expect(HEAD ".global .b8 x[4] = {1, 2;", 4, 25, "expected ',' or '}', found ';'");
    expect(HEAD ".global .b8 x[400000000] = {1};", 4, 31, "more than 256 MiB of initialized data");
    expect(HEAD ".global .b8 x[][0] = {};", 4, 24, "an array without size needs elements of some size");
    expect(BODY(".reg .b32 %r1, %r1;"), 2, 16, "'%r1' is already declared in this scope");
    expect(BODY(".reg .b32 %x<n>;"), 2, 14, "expected the number of registers, found 'n'");
    expect(BODY(".reg %x;"), 2, 6, "expected a type, found '%x'");
}

static void instructions(void **state)
{
    (void)state;
    expect(BODY("add.u32 %r1, %r2, %r3"), 3, 1, "expected ',' or ';', found '}'");
    expect(BODY("add.u32 %r1 %r2;"), 2, 13, "expected ',' or ';', found '%r2'");
    expect(BODY("add.u32 %r1, , %r3;"), 2, 14, "expected an operand, found ','");
    expect(BODY("\tadd.u32 %r1, %r12, 3;"), 2, 15, "register '%r12' is not declared");
    expect(BODY("mov.u32 %r1, %tid.q;"), 2, 14, "register '%tid' is not declared");
    expect(BODY("mov.u32 %r1, nothing;"), 2, 14, "'nothing' is not declared");
    expect(BODY("ld.u32 %r1, [%rd1;"), 2, 18, "expected ']', found ';'");
    expect(BODY("ld.u32 %r1, [%rd1+%rd2];"), 2, 19, "expected a constant, found '%rd2'");
    expect(BODY("ld.u32 %r1, [1.0];"), 2, 14, "this cannot be an address");
    expect(BODY("ld.v2.u32 {%r1, %r2, [%rd1];"), 2, 22, "address inside a vector or an address");
    expect(BODY("ld.v2.u32 {}, [%rd1];"), 2, 11, "empty vector");
    expect(BODY("@%r1 bra X;"), 2, 2, "guard '%r1' is not a declared predicate register");
    expect(BODY("@p bra X;"), 2, 2, "guard 'p' is not a declared predicate register");
    expect(BODY("@%p1 ;"), 2, 6, "expected an instruction, found ';'");
    expect(BODY("bra X;"), 2, 5, "'X' is not declared");
    expect(BODY("bra %r1;"), 2, 1, "bra needs one label");
    expect(BODY("{ L: ret; }\nbra L;"), 3, 5, "'L' is not declared");
    expect(BODY("L: ret; L: ret;"), 2, 9, "'L' is already declared in this scope");
    expect(BODY("L: brx.idx %r1, L;"), 2, 4, "brx.idx needs an index and the label of its .branchtargets");
    expect(BODY("t: .branchtargets A, ;"), 2, 22, "expected a label, found ';'");
    expect(BODY("L: mov.u64 %rd1, L+4;"), 2, 18, "'L' is a label, which has no address");
    expect(BODY("and.pred %p1, %p2, !%r1;"), 2, 20, "'!' needs a predicate register");
    expect(BODY("mov.u32 %r1, 0x;"), 2, 14, "number without digits");
    expect(BODY("mov.u32 %r1, 089;"), 2, 14, "digit is not octal");
    expect(BODY("mov.u32 %r1, 99999999999999999999;"), 2, 14, "integer does not fit in 64 bits");
    expect(BODY("mov.f32 %r1, 0f3F8;"), 2, 14, "0f needs 8 hexadecimal digits");
    expect(BODY("mov.u32 %r1, 4 / 0;"), 2, 16, "division by zero");
    expect(BODY("mov.u32 %r1, ~1.0;"), 2, 14, "this operator needs integers");
    expect(BODY("call 5;"), 2, 6, "expected a function or a register that holds its address, found '5'");
    expect(BODY("call a;"), 2, 1, "call needs a function or a register");
    expect(BODY("mov.u32 %r1, \x01;"), 2, 14, "unexpected character");
    expect(BODY(".pragma nounroll;"), 2, 9, "expected a string, found 'nounroll'");
    expect(BODY(".pragma \"open\n;"), 2, 9, "string without closing quote");
    expect(BODY(".loc 1 x 2"), 2, 8, "expected an integer, found 'x'");
}

/* Repeats a piece of text. */
static char *repeat(const char *head, const char *piece, unsigned n, const char *tail)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    fputs(head, f);
    for (unsigned k = 0; k < n; k++)
        fputs(piece, f);
    fputs(tail, f);
    fclose(f);
    return text;
}

static void limits(void **state)
{
    (void)state;
    static const struct {
        const char *head, *piece;
        unsigned n;
        const char *tail, *msg;
    } cases[] = {
        {HEAD ".entry k() ", "{", 100000, "", "scopes are nested deeper than 64"},
        {HEAD ".entry k() { .reg .b32 %r<2>; mov.u32 %r1, ", "(", 100000, "", "expression is nested deeper than 64"},
        {HEAD ".entry k() { .reg .b32 %r<2>; mov.u32 %r1, ", "-", 100000, "1;}", "expression is nested deeper than 64"},
        {HEAD ".global .u8 x[9] = ", "{", 100000, "", "initializer is nested deeper than 16"},
        {HEAD ".global .u8 x", "[1]", 100000, ";", "array has more than 8 dimensions"},
        {HEAD ".entry k() { .reg .b32 %r<2>; mov.u32 ", "%r1, ", 100000, "%r1; }", "more than 24 operands"},
        {HEAD ".entry k() { .reg .b32 %r<2>; mov.u32 {", "%r1, ", 100000, "%r1}, 0; }", "more than 1024 elements"},
        {HEAD ".entry k() { .reg .b32 %r<2>; mov.u32 ", "{", 100000, "%r1; }", "vector inside a vector"},
        {HEAD ".entry k() { .reg .b32 %r<2>; add", ".u32", 100000, " %r1; }", "opcode is longer than 256 characters"},
        {HEAD ".entry k(", ".param .b64 x[1000000], ", 10, ".param .u32 y) { ret; }",
         "parameters take more than 16777216 bytes"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char *text = repeat(cases[k].head, cases[k].piece, cases[k].n, cases[k].tail);
        struct err e;
        if (ptx_parse(text, strlen(text), "limit.ptx", &e))
            fail_msg("parsed, although: %s", cases[k].msg);
        assert_string_equal(e.msg, cases[k].msg);
        free(text);
    }
}

static void huge_register_ranges_cost_nothing(void **state)
{
    (void)state;
    char *text = repeat(HEAD ".entry k() { .reg .b32 %r<4294967295>;\n", "mov.u32 %r4294967294, 1;\n", 3, "}");
    struct ptx_module *m = parse_ok(text);
    assert_int_equal(func_named(m, "k")->n_reg, 1);
    ptx_module_free(m);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(module_level),
        cmocka_unit_test(declarations),
        cmocka_unit_test(instructions),
        cmocka_unit_test(limits),
        cmocka_unit_test(huge_register_ranges_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
