#!/usr/bin/env python3
"""Lists the PTX instruction forms that are compared with real silicon, and writes a kernel for each.

usage: gen.py FORMS.ptx FORMS.txt

FORMS.ptx holds one kernel f<N> per form: it loads the form's inputs, executes the instruction and stores the results.
The GPU (silicon/exact/run.c) and weir (silicon/exact/) run the very same text. FORMS.txt has one line per form:

    f<N> <name> <check> <elements> <result types> <input kinds>

check is `exact`; `memory`: exact, but needs a memory; or `manual`: weir follows the PTX manual where the code that ptxas
emits does not. Inputs are not stored: silicon/exact/inputs.h makes them from the kinds, the name and the element's number.
"""
import sys

forms = []
WIDTH = {'p': 'pred', 'h': 'b16', 'w': 'b32', 'd': 'b64'}


def reg_class(t):
    """Register class of a PTX type or an input kind."""
    if t == 'pred':
        return 'p'
    for suffix, c in (('64', 'd'), ('x2', 'w'), ('32', 'w'), ('16', 'h')):
        if t.endswith(suffix):
            return c
    return {'count': 'w', 'field': 'w', 'selector': 'w', 'lane': 'w', 'byte': 'w'}[t]


def form(name, outs, ins, body=None, check='exact', n=512):
    """One form. body defaults to `name d, a, b, ...`; d0 d1 are results, a b c e inputs, t0 a temporary."""
    if body is None:
        dst = '|'.join('d%d' % k for k in range(len(outs)))
        body = '%s %s;' % (name, ', '.join([dst] + [LETTERS[k] for k in range(len(ins))]))
    forms.append(dict(name=name, outs=outs, ins=ins, body=body, check=check, n=n))


INTS = ['u16', 's16', 'u32', 's32', 'u64', 's64']
LETTERS = 'abce'


def integer_forms():
    for t in INTS:
        for op in ('add', 'sub', 'min', 'max', 'div', 'rem'):
            form('%s.%s' % (op, t), [t], [t, t], n=640 if op in ('div', 'rem') else 384)
        form('mul.lo.%s' % t, [t], [t, t])
        form('mul.hi.%s' % t, [t], [t, t])
        form('mad.lo.%s' % t, [t], [t, t, t])
        form('mad.hi.%s' % t, [t], [t, t, t])
        form('sad.%s' % t, [t], [t, t, t])
    for t, w in (('u16', 'u32'), ('s16', 's32'), ('u32', 'u64'), ('s32', 's64')):
        form('mul.wide.%s' % t, [w], [t, t])
        form('mad.wide.%s' % t, [w], [t, t, w])
    for t in ('s16', 's32', 's64'):
        form('abs.%s' % t, [t], [t], n=128)
        form('neg.%s' % t, [t], [t], n=128)
    for op in ('add', 'sub'):
        form('%s.sat.s32' % op, ['s32'], ['s32', 's32'])
    form('mad.hi.sat.s32', ['s32'], ['s32'] * 3)
    for t in ('u32', 's32'):
        for h in ('lo', 'hi'):
            form('mul24.%s.%s' % (h, t), [t], [t, t])
            form('mad24.%s.%s' % (h, t), [t], [t, t, t])
    form('mad24.hi.sat.s32', ['s32'], ['s32'] * 3)
    for t in ('u16x2', 's16x2'):
        for op in ('add', 'min', 'max'):
            form('%s.%s' % (op, t), [t], [t, t], n=384)
    for op in ('min', 'max'):
        form('%s.relu.s16x2' % op, ['s16x2'], ['s16x2', 's16x2'], n=384)
        form('%s.relu.s32' % op, ['s32'], ['s32', 's32'], n=384)
    for w in ('u32', 's32', 'u64', 's64'):
        # The carry out is made visible by an addc or subc of zeros; the carry in by an add.cc that overflows when c is odd.
        setc = {'32': ('b32', '0x80000000', '31'), '64': ('b64', '0x8000000000000000', '63')}[w[1:]]
        into = 'shl.%s t0, c, %s; add.cc.%s t0, t0, t0;' % (setc[0], setc[2], w)
        get = 'addc.%s d1, 0, 0;' % w
        getb = 'subc.%s d1, 0, 0;' % w
        form('add.cc.' + w, [w, w], [w, w], 'add.cc.%s d0, a, b; %s' % (w, get))
        form('sub.cc.' + w, [w, w], [w, w], 'sub.cc.%s d0, a, b; %s' % (w, getb))
        form('addc.' + w, [w], [w, w, w], '%s addc.%s d0, a, b;' % (into, w))
        form('addc.cc.' + w, [w, w], [w, w, w], '%s addc.cc.%s d0, a, b; %s' % (into, w, get))
        intob = 'and.%s t0, c, 1; sub.cc.%s t0, 0, t0;' % (setc[0], w)
        form('subc.' + w, [w], [w, w, w], '%s subc.%s d0, a, b;' % (intob, w))
        form('subc.cc.' + w, [w, w], [w, w, w], '%s subc.cc.%s d0, a, b; %s' % (intob, w, getb))
        for h in ('lo', 'hi'):
            form('mad.%s.cc.%s' % (h, w), [w, w], [w, w, w], 'mad.%s.cc.%s d0, a, b, c; %s' % (h, w, get))
            form('madc.%s.%s' % (h, w), [w], [w, w, w, w], into.replace(' c,', ' e,') + ' madc.%s.%s d0, a, b, c;' % (h, w))
            form('madc.%s.cc.%s' % (h, w), [w, w], [w, w, w, w],
                 into.replace(' c,', ' e,') + ' madc.%s.cc.%s d0, a, b, c; %s' % (h, w, get))


def bit_forms():
    for b in ('b16', 'b32', 'b64'):
        for op in ('and', 'or', 'xor'):
            form('%s.%s' % (op, b), [b], [b, b], n=128)
        form('not.' + b, [b], [b], n=96)
        form('cnot.' + b, [b], [b], n=96)
        form('shl.' + b, [b], [b, 'count'])
        form('shr.' + b, [b], [b, 'count'])
    for t in INTS:
        form('shr.' + t, [t], [t, 'count'])
    for op in ('and', 'or', 'xor'):
        form(op + '.pred', ['pred'], ['pred', 'pred'], n=64)
    form('not.pred', ['pred'], ['pred'], n=32)
    for lut in (0x00, 0x01, 0x1b, 0x80, 0x96, 0xca, 0xe8, 0xf8, 0xff, 0x6a):
        form('lop3.b32.0x%02x' % lut, ['b32'], ['b32'] * 3, 'lop3.b32 d0, a, b, c, 0x%x;' % lut, n=64)
    for op in ('or', 'and'):
        form('lop3.%s.b32' % op, ['b32', 'pred'], ['b32', 'b32', 'b32', 'pred'],
             'lop3.%s.b32 d0|d1, a, b, c, 0x80, e;' % op, n=256)
    for d in ('l', 'r'):
        for m in ('wrap', 'clamp'):
            form('shf.%s.%s.b32' % (d, m), ['b32'], ['b32', 'b32', 'count'])
    form('prmt.b32', ['b32'], ['b32', 'b32', 'selector'])
    for m in ('f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'):
        form('prmt.b32.' + m, ['b32'], ['b32', 'b32', 'selector'], n=256)
    for b in ('b32', 'b64'):
        form('popc.' + b, ['u32'], [b], n=256)
        form('clz.' + b, ['u32'], [b], n=256)
        form('brev.' + b, [b], [b], n=128)
        form('bfi.' + b, [b], [b, b, 'field', 'field'])
    for t in ('u32', 's32', 'u64', 's64'):
        form('bfind.' + t, ['u32'], [t], n=256)
        form('bfind.shiftamt.' + t, ['u32'], [t], n=256)
        form('bfe.' + t, [t], [t, 'field', 'field'], n=768)
    form('fns.b32', ['b32'], ['b32', 'field', 'byte'], n=768)
    for m in ('wrap', 'clamp'):
        form('bmsk.%s.b32' % m, ['b32'], ['field', 'field'], n=768)
        for t in ('u32', 's32'):
            form('szext.%s.%s' % (m, t), [t], [t, 'field'])
    for ta in ('u32', 's32'):
        for tb in ('u32', 's32'):
            form('dp4a.%s.%s' % (ta, tb), ['b32'], ['b32'] * 3, n=256)
            form('dp2a.lo.%s.%s' % (ta, tb), ['b32'], ['b32'] * 3, n=256)
            form('dp2a.hi.%s.%s' % (ta, tb), ['b32'], ['b32'] * 3, n=256)


FLOAT_RELATIONS = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan']


def compare_forms():
    for t in INTS:
        for r in ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] + (['lo', 'ls', 'hi', 'hs'] if t[0] == 'u' else []):
            form('setp.%s.%s' % (r, t), ['pred'], [t, t])
    for t in ('b16', 'b32', 'b64'):
        for r in ('eq', 'ne'):
            form('setp.%s.%s' % (r, t), ['pred'], [t, t])
    for t, f in (('f32', ''), ('f32', '.ftz'), ('f64', ''), ('f16', ''), ('f16', '.ftz'), ('bf16', '')):
        for r in FLOAT_RELATIONS:
            form('setp.%s%s.%s' % (r, f, t), ['pred'], [t, t], n=1024)
    for t in ('f16x2', 'bf16x2'):
        for r in FLOAT_RELATIONS:
            form('setp.%s.%s' % (r, t), ['pred', 'pred'], [t, t], n=1024)
    for b in ('and', 'or', 'xor'):
        form('setp.lt.%s.s32' % b, ['pred', 'pred'], ['s32', 's32', 'pred'])
        form('setp.gtu.%s.f32' % b, ['pred', 'pred'], ['f32', 'f32', 'pred'])
        form('setp.ne.%s.f64' % b, ['pred'], ['f64', 'f64', 'pred'], 'setp.ne.%s.f64 d0, a, b, !c;' % b)
        form('setp.le.%s.f16' % b, ['pred'], ['f16', 'f16', 'pred'])
    form('setp.ge.u64 pair', ['pred', 'pred'], ['u64', 'u64'], 'setp.ge.u64 d0|d1, a, b;')
    for dt in ('u32', 's32', 'f32'):
        for t in INTS + ['f32', 'f64']:
            form('set.lt.%s.%s' % (dt, t), [dt], [t, t], n=256)
    form('set.geu.ftz.f32.f32', ['f32'], ['f32', 'f32'])
    form('set.eq.and.u32.s32', ['u32'], ['s32', 's32', 'pred'])
    for dt in ('u16', 's16', 'u32', 's32', 'f16'):
        form('set.lt.%s.f16' % dt, [dt], ['f16', 'f16'])
    form('set.neu.f16x2.f16x2', ['f16x2'], ['f16x2', 'f16x2'])
    form('set.lt.bf16.bf16', ['bf16'], ['bf16', 'bf16'])
    form('set.geu.bf16x2.bf16x2', ['bf16x2'], ['bf16x2', 'bf16x2'])
    for t in ('b16', 'b32', 'b64', 'u16', 's16', 'u32', 's32', 'u64', 's64', 'f32', 'f64'):
        form('selp.' + t, [t], [t, t, 'pred'], n=96)
        form('slct.%s.s32' % t, [t], [t, t, 's32'], n=96)
        form('slct.%s.f32' % t, [t], [t, t, 'f32'], n=192)
    form('slct.ftz.b32.f32', ['b32'], ['b32', 'b32', 'f32'])
    for what in ('finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'):
        for t in ('f32', 'f64'):
            form('testp.%s.%s' % (what, t), ['pred'], [t], n=512)


def move_forms():
    for t in ('b16', 'b32', 'b64', 'u16', 's16', 'u32', 's32', 'u64', 's64', 'f32', 'f64'):
        form('mov.' + t, [t], [t], n=64)
    form('mov.pred', ['pred'], ['pred'], n=32)
    form('mov.b64 pack', ['b64'], ['b32', 'b32'], 'mov.b64 d0, {a, b};', n=64)
    form('mov.b64 unpack', ['b32', 'b32'], ['b64'], 'mov.b64 {d0, d1}, a;', n=64)
    form('mov.b64 unpack high', ['b32'], ['b64'], 'mov.b64 {_, d0}, a;', n=64)
    form('mov.b32 pack', ['b32'], ['b16', 'b16'], 'mov.b32 d0, {a, b};', n=64)
    form('mov.b32 unpack', ['b16', 'b16'], ['b32'], 'mov.b32 {d0, d1}, a;', n=64)
    form('mov.b64 pack4', ['b64'], ['b16'] * 4, 'mov.b64 d0, {a, b, c, e};', n=64)
    form('mov.b64 unpack4', ['b64'], ['b64'], '.reg .b16 h<4>; mov.b64 {h0, h1, h2, h3}, a; mov.b64 d0, {h3, h1, h0, h2};', n=64)
    form('mov.b128', ['b64', 'b64'], ['b64', 'b64'],
         '.reg .b128 q<2>; mov.b128 q0, {a, b}; mov.b128 q1, q0; mov.b128 {d1, d0}, q1;', n=64)


ROUND = ['rn', 'rz', 'rm', 'rp']


def f32_forms():
    for op in ('add', 'sub', 'mul'):
        form(op + '.f32', ['f32'], ['f32', 'f32'], n=1024)
        form(op + '.ftz.f32', ['f32'], ['f32', 'f32'], n=512)
    for r in ROUND:
        for ftz in ('', '.ftz'):
            for sat in ('', '.sat'):
                n = 768 if not sat else 384
                for op in ('add', 'sub', 'mul'):
                    form('%s.%s%s%s.f32' % (op, r, ftz, sat), ['f32'], ['f32', 'f32'], n=n)
                form('fma.%s%s%s.f32' % (r, ftz, sat), ['f32'], ['f32'] * 3, n=n)
            form('div.%s%s.f32' % (r, ftz), ['f32'], ['f32', 'f32'], n=768)
            form('rcp.%s%s.f32' % (r, ftz), ['f32'], ['f32'], n=512)
            form('sqrt.%s%s.f32' % (r, ftz), ['f32'], ['f32'], n=512)
    form('mad.rn.f32', ['f32'], ['f32'] * 3)
    form('mad.rz.ftz.sat.f32', ['f32'], ['f32'] * 3, n=256)
    for ftz in ('', '.ftz'):
        for op in ('abs', 'neg'):
            form('%s%s.f32' % (op, ftz), ['f32'], ['f32'], n=192)
        for op in ('min', 'max'):
            for nan in ('', '.NaN'):
                for xs in ('', '.xorsign.abs'):
                    form('%s%s%s%s.f32' % (op, ftz, nan, xs), ['f32'], ['f32', 'f32'], n=768)
    form('copysign.f32', ['f32'], ['f32', 'f32'], n=192)
    # Results on the border of the subnormals, where .ftz must decide.
    near = ('.reg .b32 x, y, z; and.b32 x, a, 255; sub.u32 x, 0x3f800000, x; and.b32 y, b, 127; %s'
            ' shr.u32 z, a, 8; and.b32 z, z, 127; add.u32 z, z, 0x80800000; ')
    for r in ROUND:
        form('mul.%s.ftz.f32 border' % r, ['f32'], ['b32', 'b32'],
             near % 'add.u32 y, y, 0x00800000;' + 'mul.%s.ftz.f32 d0, x, y;' % r, n=256)
        form('fma.%s.ftz.f32 border' % r, ['f32'], ['b32', 'b32'],
             near % 'add.u32 y, y, 0x01000000;' + 'fma.%s.ftz.f32 d0, x, y, z;' % r, n=256)
        form('div.%s.ftz.f32 border' % r, ['f32'], ['b32', 'b32'],
             near % 'add.u32 y, y, 0x00800000; sub.u32 x, 0x7f000000, x;' + 'div.%s.ftz.f32 d0, y, x;' % r, n=256)


def f64_forms():
    for op in ('add', 'sub', 'mul'):
        form(op + '.f64', ['f64'], ['f64', 'f64'], n=640)
    for r in ROUND:
        for op in ('add', 'sub', 'mul'):
            form('%s.%s.f64' % (op, r), ['f64'], ['f64', 'f64'], n=640)
        form('fma.%s.f64' % r, ['f64'], ['f64'] * 3, n=640)
        form('div.%s.f64' % r, ['f64'], ['f64', 'f64'], n=640)
        form('rcp.%s.f64' % r, ['f64'], ['f64'], n=384)
        form('sqrt.%s.f64' % r, ['f64'], ['f64'], n=384)
    form('mad.rn.f64', ['f64'], ['f64'] * 3, n=384)
    for op in ('abs', 'neg'):
        form(op + '.f64', ['f64'], ['f64'], n=128)
    for op in ('min', 'max'):
        form(op + '.f64', ['f64'], ['f64', 'f64'], n=512)
    form('copysign.f64', ['f64'], ['f64', 'f64'], n=128)


def half_forms():
    for t in ('f16', 'f16x2'):
        for rnd in ('', '.rn'):
            for ftz in ('', '.ftz'):
                for sat in ('', '.sat'):
                    for op in ('add', 'sub', 'mul'):
                        form('%s%s%s%s.%s' % (op, rnd, ftz, sat, t), [t], [t, t], n=512 if not rnd else 128)
        for ftz in ('', '.ftz'):
            for sat in ('', '.sat', '.relu'):
                form('fma.rn%s%s.%s' % (ftz, sat, t), [t], [t] * 3)
            for op in ('neg', 'abs'):
                form('%s%s.%s' % (op, ftz, t), [t], [t], n=192)
            for op in ('min', 'max'):
                for nan in ('', '.NaN'):
                    for xs in ('', '.xorsign.abs'):
                        form('%s%s%s%s.%s' % (op, ftz, nan, xs, t), [t], [t, t])
        form('ex2.approx.' + t, [t], [t], n=768)
        form('tanh.approx.' + t, [t], [t], n=768)
    near = ('.reg .b32 x, y, z; .reg .b16 p, q, r; and.b32 x, a, 31; sub.u32 x, 0x3c00, x; and.b32 y, b, 31; %s'
            ' shr.u32 z, a, 8; and.b32 z, z, 31; add.u32 z, z, 0x8400; cvt.u16.u32 p, x; cvt.u16.u32 q, y; cvt.u16.u32 r, z; ')
    form('mul.ftz.f16 border', ['f16'], ['b32', 'b32'], near % 'add.u32 y, y, 0x0400;' + 'mul.ftz.f16 d0, p, q;', n=256)
    form('fma.rn.ftz.f16 border', ['f16'], ['b32', 'b32'], near % 'add.u32 y, y, 0x0800;' + 'fma.rn.ftz.f16 d0, p, q, r;', n=256)
    for t in ('bf16', 'bf16x2'):
        for rnd in ('', '.rn'):
            for op in ('add', 'sub', 'mul'):
                form('%s%s.%s' % (op, rnd, t), [t], [t, t], n=512 if not rnd else 128)
        for relu in ('', '.relu'):
            form('fma.rn%s.%s' % (relu, t), [t], [t] * 3)
        for op in ('neg', 'abs'):
            form('%s.%s' % (op, t), [t], [t], n=192)
        for op in ('min', 'max'):
            for nan in ('', '.NaN'):
                for xs in ('', '.xorsign.abs'):
                    form('%s%s%s.%s' % (op, nan, xs, t), [t], [t, t])
        form('ex2.approx.ftz.' + t, [t], [t], n=768)
        form('tanh.approx.' + t, [t], [t], n=768)


def approx_forms():
    for ftz in ('', '.ftz'):
        form('div.approx%s.f32' % ftz, ['f32'], ['f32', 'f32'], n=2048)
        form('div.full%s.f32' % ftz, ['f32'], ['f32', 'f32'], n=2048)
        for op in ('rcp', 'sqrt', 'rsqrt', 'sin', 'cos', 'lg2', 'ex2'):
            form('%s.approx%s.f32' % (op, ftz), ['f32'], ['f32'], n=2048)
    form('tanh.approx.f32', ['f32'], ['f32'], n=2048)
    form('rcp.approx.ftz.f64', ['f64'], ['f64'], n=1024)
    form('rsqrt.approx.ftz.f64', ['f64'], ['f64'], n=1024)
    form('rsqrt.approx.f64', ['f64'], ['f64'], n=1024)


def cvt_form(text, dt, st, n=192, **kw):
    """A conversion; 8-bit types live in wider registers."""
    narrow = {'u8': 'b32', 's8': 'b32'}
    form(text, [narrow.get(dt, dt)], [narrow.get(st, st)], '%s d0, a;' % text, n=n, **kw)


def contains(dt, st):
    """Every value of integer type st fits in dt, so that .sat is not allowed."""
    db, sb = int(dt[1:]), int(st[1:])
    return db >= sb if dt[0] == st[0] else dt[0] == 's' and db > sb


def convert_forms():
    ints = ['u8', 's8'] + INTS
    for dt in ints:
        for st in ints:
            cvt_form('cvt.%s.%s' % (dt, st), dt, st, n=96)
            if not contains(dt, st):
                cvt_form('cvt.sat.%s.%s' % (dt, st), dt, st, n=96)
    for st in ('f16', 'bf16', 'f32', 'f64'):
        for dt in ints if st != 'bf16' else INTS:
            for r in ('rni', 'rzi', 'rmi', 'rpi'):
                cvt_form('cvt.%s.%s.%s' % (r, dt, st), dt, st, n=320)
                if st == 'f32':
                    cvt_form('cvt.%s.ftz.%s.%s' % (r, dt, st), dt, st, n=160)
            for r in ROUND:
                cvt_form('cvt.%s.%s.%s' % (r, st, dt), st, dt, n=192)
            if st != 'bf16':
                cvt_form('cvt.rni.sat.%s.%s' % (dt, st), dt, st, n=160)
                cvt_form('cvt.rn.sat.%s.%s' % (st, dt), st, dt, n=64)
    for r in ROUND:
        for st, dt in (('f64', 'f32'), ('f64', 'f16'), ('f32', 'f16'), ('f64', 'bf16')):
            cvt_form('cvt.%s.%s.%s' % (r, dt, st), dt, st, n=640)
        cvt_form('cvt.%s.ftz.f32.f64' % r, 'f32', 'f64', n=384)
        cvt_form('cvt.%s.sat.f32.f64' % r, 'f32', 'f64', n=256)
        cvt_form('cvt.%s.ftz.f16.f32' % r, 'f16', 'f32', n=384)
        cvt_form('cvt.%s.sat.f16.f32' % r, 'f16', 'f32', n=256)
    for dt, st in (('f64', 'f32'), ('f32', 'f16'), ('f64', 'f16'), ('f32', 'bf16'), ('f64', 'bf16')):
        cvt_form('cvt.%s.%s' % (dt, st), dt, st, n=512)
        if st != 'bf16':
            cvt_form('cvt.sat.%s.%s' % (dt, st), dt, st, n=256)
    cvt_form('cvt.ftz.f64.f32', 'f64', 'f32', n=256)
    cvt_form('cvt.ftz.f32.f16', 'f32', 'f16', n=256)
    for t in ('f16', 'f32', 'f64', 'bf16'):
        for r in ('rni', 'rzi', 'rmi', 'rpi'):
            cvt_form('cvt.%s.%s.%s' % (r, t, t), t, t, n=384)
            if t != 'bf16':
                cvt_form('cvt.%s.sat.%s.%s' % (r, t, t), t, t, n=192)
        if t != 'bf16':
            cvt_form('cvt.%s.%s' % (t, t), t, t, n=256)
            cvt_form('cvt.sat.%s.%s' % (t, t), t, t, n=512)
    cvt_form('cvt.ftz.f32.f32', 'f32', 'f32', n=256)
    cvt_form('cvt.ftz.sat.f32.f32', 'f32', 'f32', n=256)
    cvt_form('cvt.rmi.ftz.f32.f32', 'f32', 'f32', n=256)
    for r in ('rn', 'rz'):
        for relu in ('', '.relu'):
            cvt_form('cvt.%s%s.bf16.f32' % (r, relu), 'bf16', 'f32', n=512)
            cvt_form('cvt.%s%s.tf32.f32' % (r, relu), 'b32', 'f32', n=512)
            if relu:
                cvt_form('cvt.%s%s.f16.f32' % (r, relu), 'f16', 'f32', n=384)
            for t in ('f16x2', 'bf16x2'):
                form('cvt.%s%s.%s.f32' % (r, relu, t), [t], ['f32', 'f32'], n=384)
    cvt_form('cvt.rna.tf32.f32', 'b32', 'f32', n=512)
    for relu in ('', '.relu'):
        for e in ('e4m3x2', 'e5m2x2'):
            form('cvt.rn.satfinite%s.%s.f32' % (relu, e), ['b16'], ['f32', 'f32'], n=512)
            form('cvt.rn.satfinite%s.%s.f16x2' % (relu, e), ['b16'], ['f16x2'], n=512)
            form('cvt.rn%s.f16x2.%s' % (relu, e), ['f16x2'], ['b16'], n=512)
    # Registers wider than the types.
    form('cvt.s8.s32 to b16', ['b16'], ['b32'], 'cvt.s8.s32 d0, a;', n=96)
    form('cvt.u8.s32 to b64', ['b64'], ['b32'], 'cvt.u8.s32 d0, a;', n=96)
    form('cvt.s16.s64 to b64', ['b64'], ['b64'], 'cvt.s16.s64 d0, a;', n=96)
    form('cvt.s64.s8 from b64', ['b64'], ['b64'], 'cvt.s64.s8 d0, a;', n=96)
    form('cvt.s32.s16 from b32', ['b32'], ['b32'], 'cvt.s32.s16 d0, a;', n=96)
    form('cvt.rzi.s8.f32 to b16', ['b16'], ['f32'], 'cvt.rzi.s8.f32 d0, a;', n=192)
    form('cvt.rzi.s16.f32 to b32', ['b32'], ['f32'], 'cvt.rzi.s16.f32 d0, a;', n=192)
    form('cvt.rn.f32.s8 from b16', ['f32'], ['b16'], 'cvt.rn.f32.s8 d0, a;', n=96)


def video_forms():
    sources = ['', '.b0', '.b3', '.h0', '.h1']
    pick = 0
    for op in ('vadd', 'vsub', 'vabsdiff', 'vmin', 'vmax'):
        for dt in ('u32', 's32'):
            for ta in ('u32', 's32'):
                for tb in ('u32', 's32'):
                    for sat in ('', '.sat'):
                        sa, sb = sources[pick % 5], sources[(pick // 5 + pick) % 5]
                        pick += 1
                        base = '%s.%s.%s.%s%s' % (op, dt, ta, tb, sat)
                        check = 'manual' if base == 'vabsdiff.u32.u32.s32.sat' else 'exact'
                        form(base + sa + sb, ['b32'], ['b32', 'b32'], '%s d0, a%s, b%s;' % (base, sa, sb), n=96, check=check)
            for second in ('add', 'min', 'max'):
                base = '%s.%s.s32.u32.sat.%s' % (op, dt, second)
                form(base, ['b32'], ['b32'] * 3, '%s d0, a, b.b1, c;' % base, n=96)
            for part in ('b0', 'b2', 'h1'):
                for sat in ('', '.sat'):
                    base = '%s.%s.s32.u32%s' % (op, dt, sat)
                    form(base + ' into ' + part, ['b32'], ['b32'] * 3, '%s d0.%s, a, b.h0, c;' % (base, part), n=96,
                         check='manual' if sat or part == 'h1' else 'exact')
    for op in ('vshl', 'vshr'):
        for dt in ('u32', 's32'):
            for ta in ('u32', 's32'):
                for mode in ('clamp', 'wrap'):
                    for sat in ('', '.sat'):
                        base = '%s.%s.%s.u32%s.%s' % (op, dt, ta, sat, mode)
                        form(base, ['b32'], ['b32', 'count'], '%s d0, a, b;' % base, n=192,
                             check='manual' if op == 'vshl' and sat else 'exact')
    for dt in ('u32', 's32'):
        for sat in ('', '.sat'):
            for scale in ('', '.shr7', '.shr15'):
                for ta, tb in (('u32', 'u32'), ('s32', 's32'), ('s32', 'u32')):
                    if dt == 'u32' and 's32' in (ta, tb):
                        continue
                    base = 'vmad.%s.%s.%s%s%s' % (dt, ta, tb, sat, scale)
                    form(base, ['b32'], ['b32'] * 3, '%s d0, a.h0, b.h1, c;' % base, n=96,
                         check='manual' if tb == 'u32' and (sat or scale) and ta == 'u32' else 'exact')
    for r in ('eq', 'ne', 'lt', 'le', 'gt', 'ge'):
        for ta in ('u32', 's32'):
            base = 'vset.%s.%s.%s' % (ta, ta, r)
            form(base, ['b32'], ['b32', 'b32'], '%s d0, a, b.b0;' % base, n=96)
    for w in ('2', '4'):
        for op in ('vadd', 'vsub', 'vavrg', 'vabsdiff', 'vmin', 'vmax'):
            for dt in ('u32', 's32'):
                for ta in ('u32', 's32'):
                    for tb in ('u32', 's32'):
                        for tail in ('', '.sat', '.add'):
                            base = '%s%s.%s.%s.%s%s' % (op, w, dt, ta, tb, tail)
                            form(base, ['b32'], ['b32'] * 3, '%s d0, a, b, c;' % base, n=96)
        for r in ('eq', 'ne', 'lt', 'le', 'gt', 'ge'):
            for ta in ('u32', 's32'):
                for tail in ('', '.add'):
                    base = 'vset%s.%s.%s.%s%s' % (w, ta, ta, r, tail)
                    form(base, ['b32'], ['b32'] * 3, '%s d0, a, b, c;' % base, n=96)


def warp_forms():
    lane = '.reg .b32 lane; mov.u32 lane, %laneid; '
    for mode in ('up', 'down', 'bfly', 'idx'):
        clamps = (0x0, 0x1800, 0x1c00, 0x1e10) if mode == 'up' else (0x1f, 0x181f, 0x1c1f, 0x1e0f, 0x0f)
        for c in clamps:
            form('shfl.sync.%s.b32 0x%x' % (mode, c), ['b32', 'pred'], ['b32', 'lane'],
                 'shfl.sync.%s.b32 d0|d1, a, b, 0x%x, -1;' % (mode, c), n=256)
        form('shfl.sync.%s.b32' % mode, ['b32'], ['b32', 'lane', 'lane'],
             'shfl.sync.%s.b32 d0, a, b, c, 0xffffffff;' % mode, n=256)
    vote = [('all', 'pred'), ('any', 'pred'), ('uni', 'pred'), ('ballot', 'b32')]
    for mode, t in vote:
        form('vote.sync.%s.%s' % (mode, t), [t], ['pred'], 'vote.sync.%s.%s d0, a, 0xffffffff;' % (mode, t), n=256)
        form('vote.sync.%s.%s not' % (mode, t), [t], ['pred'], 'vote.sync.%s.%s d0, !a, 0xffffffff;' % (mode, t), n=256)
        # Half of the warp, by guard; and two halves with masks of their own in one instruction.
        form('vote.sync.%s.%s half' % (mode, t), [t], ['pred'],
             lane + '.reg .pred g; setp.lt.u32 g, lane, 16; %s @g vote.sync.%s.%s d0, a, 0xffff;'
             % ('mov.pred d0, 0;' if t == 'pred' else 'mov.b32 d0, 7;', mode, t), n=256)
        form('vote.sync.%s.%s rare' % (mode, t), [t], ['b32'],
             '.reg .pred g; setp.ne.b32 g, a, 0; vote.sync.%s.%s d0, g, 0xffffffff;' % (mode, t), n=256)
    form('vote.ballot.sync.b32', ['b32'], ['pred'], 'vote.ballot.sync.b32 d0, a, 0xffffffff;', n=64)
    form('vote.sync.all.pred uniform', ['pred'], ['b32'],
         '.reg .pred g; setp.eq.b32 g, a, a; vote.sync.all.pred d0, g, 0xffffffff;', n=32)
    for t in ('b32', 'b64'):
        few = 'and.%s t0, a, 3;' % t
        form('match.any.sync.' + t, ['b32'], [t], few + ' match.any.sync.%s d0, t0, 0xffffffff;' % t, n=256)
        form('match.any.sync.%s all different' % t, ['b32'], [t], 'match.any.sync.%s d0, a, 0xffffffff;' % t, n=256)
        form('match.all.sync.' + t, ['b32', 'pred'], [t], few + ' match.all.sync.%s d0|d1, t0, 0xffffffff;' % t, n=256)
        form('match.all.sync.%s equal' % t, ['b32', 'pred'], [t],
             'and.%s t0, a, 0; match.all.sync.%s d0|d1, t0, 0xffffffff;' % (t, t), n=64)
    form('match.any.sync.b32 half', ['b32'], ['b32'],
         lane + '.reg .pred g; setp.lt.u32 g, lane, 16; and.b32 t0, a, 3; mov.b32 d0, 5; @g match.any.sync.b32 d0, t0, 0xffff;', n=256)
    for op in ('add', 'min', 'max'):
        for t in ('u32', 's32'):
            form('redux.sync.%s.%s' % (op, t), [t], [t], 'redux.sync.%s.%s d0, a, 0xffffffff;' % (op, t), n=256)
    for op in ('and', 'or', 'xor'):
        form('redux.sync.%s.b32' % op, ['b32'], ['b32'], 'redux.sync.%s.b32 d0, a, 0xffffffff;' % op, n=256)
    form('redux.sync.add.u32 half', ['u32'], ['u32'],
         lane + '.reg .pred g; setp.ge.u32 g, lane, 20; mov.b32 d0, 5; @g redux.sync.add.u32 d0, a, 0xfff00000;', n=256)
    form('activemask.b32', ['b32'], ['b32'], 'activemask.b32 d0;', n=32)
    form('elect.sync', ['b32', 'pred'], ['b32'], 'elect.sync d0|d1, 0xffffffff;', n=32)
    form('elect.sync half', ['b32', 'pred'], ['b32'],
         lane + '.reg .pred g; setp.ge.u32 g, lane, 20; mov.b32 d0, 5; mov.pred d1, 0; @g elect.sync d0|d1, 0xfff00000;', n=32)


# Where memory forms play: set-up, address, and the suffix of the state space.
SPACES = {
    'global': ('', '[m]', '.global'),
    'generic': ('.reg .b64 g; cvta.global.u64 g, m; ', '[g]', ''),
    'shared': ('.shared .align 16 .b8 sh[1024]; .reg .b32 s, lane; mov.u32 s, sh; mov.u32 lane, %laneid; mad.lo.u32 s, lane, 32, s; ',
               '[s]', '.shared'),
    'local': ('.local .align 16 .b8 loc[32]; .reg .b32 s; mov.u32 s, loc; ', '[s]', '.local'),
}


def mem(name, outs, ins, body, n=64):
    form(name, outs, ins, body, check='memory', n=n)


def atomic_forms():
    """Atomics on a location of each lane's own: the old value and what is left."""
    kinds = [('add', ('u32', 's32', 'u64', 'f32', 'f64')), ('min', ('u32', 's32', 'u64', 's64')),
             ('max', ('u32', 's32', 'u64', 's64')), ('and', ('b32', 'b64')), ('or', ('b32', 'b64')), ('xor', ('b32', 'b64')),
             ('exch', ('b32', 'b64')), ('inc', ('u32',)), ('dec', ('u32',))]
    for space in ('global', 'shared', 'generic'):
        setup, at, dot = SPACES[space]
        n = 256 if space == 'global' else 64
        for op, types in kinds:
            for t in types:
                b = 'b' + t[1:]
                before, after = setup + 'st%s.%s %s, a; ' % (dot, b, at), ' ld%s.%s d1, %s;' % (dot, b, at)
                mem('atom%s.%s.%s' % (dot, op, t), [t, t], [t, t],
                    before + 'atom%s.%s.%s d0, %s, b;' % (dot, op, t, at) + after, n)
                if op != 'exch':
                    mem('red%s.%s.%s' % (dot, op, t), [t], [t, t],
                        before + 'red%s.%s.%s %s, b;' % (dot, op, t, at) + after.replace('d1', 'd0'))
        for b in ('b16', 'b32', 'b64'):
            before, after = setup + 'st%s.%s %s, a; ' % (dot, b, at), ' ld%s.%s d1, %s;' % (dot, b, at)
            mem('atom%s.cas.%s' % (dot, b), [b, b], [b, b, b], before + 'atom%s.cas.%s d0, %s, b, c;' % (dot, b, at) + after, n)
            mem('atom%s.cas.%s equal' % (dot, b), [b, b], [b, b], before + 'atom%s.cas.%s d0, %s, a, b;' % (dot, b, at) + after)
        for t in ('f16', 'f16x2', 'bf16', 'bf16x2'):
            b = 'b32' if t.endswith('x2') else 'b16'
            before, after = setup + 'st%s.%s %s, a; ' % (dot, b, at), ' ld%s.%s d1, %s;' % (dot, b, at)
            mem('atom%s.add.noftz.%s' % (dot, t), [t, t], [t, t],
                before + 'atom%s.add.noftz.%s d0, %s, b;' % (dot, t, at) + after, n)
    for name in ('atom.or.acq_rel.cta.b32', 'atom.add.acq_rel.cta.u64', 'atom.add.relaxed.cta.u64', 'atom.add.release.gpu.u32',
                 'atom.global.sys.add.u32', 'atom.global.sys.exch.b32', 'atom.global.sys.max.s32', 'atom.global.sys.min.s32',
                 'atom.global.sys.inc.u32', 'atom.global.sys.dec.u32', 'atom.global.sys.and.b32', 'atom.global.sys.or.b32',
                 'atom.global.sys.xor.b32', 'atom.add.relaxed.cta.u32', 'atom.add.acquire.cta.u32'):
        t = name.split('.')[-1]
        mem(name, [t, t], [t, t], 'st.global.b%s [m], a; %s d0, [m], b; ld.global.b%s d1, [m];' % (t[1:], name, t[1:]))
    mem('atom.global.sys.cas.b32', ['b32', 'b32'], ['b32', 'b32'],
        'st.global.b32 [m], a; atom.global.sys.cas.b32 d0, [m], a, b; ld.global.b32 d1, [m];')
    mem('red.and.release.cta.b32', ['b32'], ['b32', 'b32'],
        'st.global.b32 [m], a; red.and.release.cta.b32 [m], b; ld.global.b32 d0, [m];')


def elements(vec, reg):
    """Registers for the elements of a vector: their declaration, the operand, and moves from or to two b64."""
    n = int(vec[1:]) if vec else 1
    regs = ['v%d' % k for k in range(n)]
    return '.reg .%s %s; ' % (reg, ', '.join(regs)), ('{%s}' % ', '.join(regs)) if vec else regs[0], regs


def load_store_forms():
    """Loads and stores of every width: 16 bytes of memory around them come from a and b, results are seen whole."""
    types = ['u8', 's8', 'b8', 'u16', 's16', 'b16', 'u32', 's32', 'b32', 'f32', 'u64', 's64', 'b64', 'f64']
    plain = [('', '', t) for t in types]
    plain += [('', v, t) for v, t in (('v2', 'u8'), ('v4', 'u8'), ('v2', 'u16'), ('v4', 'u16'), ('v2', 'u32'), ('v4', 'u32'),
                                      ('v2', 'f32'), ('v4', 'f32'), ('v2', 'u64'), ('v2', 'f64'), ('v4', 's8'))]
    loads = {'global': [('.volatile', '', 'u32')] + [('.nc', v, t) for v, t in (
                 ('', 'u32'), ('', 'u64'), ('', 'f32'), ('', 'f64'), ('v2', 'u32'), ('v2', 'f32'), ('v2', 'f64'), ('v4', 'u32'),
                 ('v4', 'f32'))],
             'generic': [('.volatile', '', 'u32'), ('.ca', '', 'u32'), ('.cg', '', 'u32'), ('.relaxed.gpu', 'v2', 'u32'),
                         ('.relaxed.gpu', 'v2', 'u64'), ('.relaxed.gpu', '', 'u32'), ('.acquire.cta', '', 'b64'),
                         ('.acquire.gpu', '', 'u32'), ('.acquire.cta', '', 'u32'), ('.relaxed.cta', '', 'b32')],
             'shared': [('.volatile', '', 'f32'), ('.volatile', '', 'f64'), ('.volatile', '', 'u32')], 'local': []}
    stores = {'global': [('.volatile', '', 'u32')],
              'generic': [('.volatile', '', 'u32'), ('.cg', '', 'u32'), ('.relaxed.gpu', 'v2', 'u32'), ('.release.gpu', '', 'u32'),
                          ('.relaxed.gpu', 'v2', 'u64'), ('.relaxed.cta', '', 'b32')],
              'shared': [('.volatile', '', t) for t in ('u32', 'f32', 'u64', 'f64')], 'local': []}
    for space, (setup, at, dot) in SPACES.items():
        pair = 'v2.b64'
        fill = 'st%s.%s %s, {a, b}; ' % (dot, pair, at)
        for mod, vec, t in plain + loads[space]:
            bits = int(t[1:])
            for reg in ('b16', 'b32', 'b64') if t[0] in 'usb' and not vec else ('b%d' % max(bits, 16),):
                if int(reg[1:]) < bits:
                    continue
                decl, operand, regs = elements(vec, reg)
                op = 'ld%s%s%s.%s' % (mod if mod.startswith(('.vol', '.rel', '.acq')) else '', dot,
                                      '' if mod.startswith(('.vol', '.rel', '.acq')) else mod, (vec + '.' if vec else '') + t)
                body = setup + decl + fill + '%s %s, %s; ' % (op, operand, at)
                if len(regs) == 1:
                    body += 'mov.%s d0, v0;' % reg
                    mem('%s to %s' % (op, reg), [reg], ['b64', 'b64'], body, n=32)
                else:
                    wide = {'b16': 'u16', 'b32': 'u32', 'b64': 'u64'}[reg]
                    body += '.reg .b64 w, x; mov.u64 w, 0; '
                    for r in regs: # a hash that tells the elements apart
                        body += ('mov.u64 x, %s; ' % r if reg == 'b64' else 'cvt.u64.%s x, %s; ' % (wide, r))
                        body += 'mad.lo.u64 w, w, 0x9e3779b97f4a7c15, x; '
                    mem('%s to %s' % (op, reg), ['b64'], ['b64', 'b64'], body + 'mov.u64 d0, w;', n=32)
        for mod, vec, t in plain + stores[space]:
            bits = int(t[1:])
            if t in ('s8', 's16', 's32', 's64') and vec:
                continue
            for reg in ('b16', 'b32', 'b64') if t[0] in 'usb' and not vec else ('b%d' % max(bits, 16),):
                if int(reg[1:]) < bits:
                    continue
                decl, operand, regs = elements(vec, reg)
                early = mod.startswith(('.vol', '.rel'))
                op = 'st%s%s%s.%s' % (mod if early else '', dot, '' if early else mod, (vec + '.' if vec else '') + t)
                body = setup + decl + fill
                for k, r in enumerate(regs):
                    body += ('cvt.u16.u64 %s, c; ' % r if reg == 'b16' else 'cvt.u32.u64 %s, c; ' % r if reg == 'b32'
                             else 'mov.u64 %s, c; ' % r) + 'shr.u64 c, c, 7; '
                body += '%s %s, %s; ld%s.%s {d0, d1}, %s;' % (op, at, operand, dot, pair, at)
                mem('%s from %s' % (op, reg), ['b64', 'b64'], ['b64', 'b64', 'b64'], body, n=32)


CONSTANTS = [(k * k * 0x9e3779b97f4a7c15 + 0x123456789abcdef * k) % 2**64 for k in range(64)]


def constant_forms():
    at = '.reg .b32 s; mov.u32 s, table; and.b32 a, a, 496; add.u32 s, s, a; '
    for t in ('u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 'f32', 'f64'):
        reg = 'b64' if t.endswith('64') else 'b32' if t != 'u16' else 'b16'
        mem('ld.const.' + t, [reg], ['b32'], at + 'ld.const.%s d0, [s+8];' % t, n=64)
    for v, t in (('v2', 'u32'), ('v4', 'f32')):
        decl, operand, regs = elements(v, 'b32')
        mem('ld.const.%s.%s' % (v, t), ['b32', 'b32'], ['b32'],
            at + decl + 'ld.const.%s.%s %s, [s]; mov.b32 d0, %s; mov.b32 d1, %s;' % (v, t, operand, regs[-1], regs[1]), n=64)


def substitute(body, f):
    """Replaces the short names of a body by registers."""
    import re
    names = {'d%d' % k: '%%d%d' % k for k in range(len(f['outs']))}
    names.update({LETTERS[k]: '%%%s' % LETTERS[k] for k in range(len(f['ins']))})
    names['m'] = '%m'
    out = []
    # Only operands: text after the opcode of each statement.
    for statement in body.split(';'):
        statement = statement.strip()
        if not statement:
            continue
        if statement.startswith('.'):
            out.append(statement + ';')
            continue
        guard = ''
        if statement.startswith('@'):
            guard, statement = statement.split(None, 1)
            guard += ' '
        parts = statement.split(None, 1)
        if len(parts) == 2:
            parts[1] = re.sub(r'(?<![\w%.])(d[01]|[abcem])(?!\w)', lambda m: names.get(m.group(1), m.group(1)), parts[1])
            parts[1] = re.sub(r'(?<![\w%.])t0(?!\w)', '%t0', parts[1])
        out.append(guard + ' '.join(parts) + ';')
    return out


def kernel(index, f):
    lines = ['// %s' % f['name'], '.visible .entry f%d(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pe,' % index,
             '    .param .u64 p0, .param .u64 p1)', '{']
    ins, outs = f['ins'], f['outs']
    lines.append('    .reg .b32 %i<5>; .reg .b64 %at<8>; .reg .b64 %m; .reg .pred %pp<2>;')
    for k, t in enumerate(ins):
        lines.append('    .reg .%s %%%s;' % (WIDTH[reg_class(t)], LETTERS[k]))
    for k, t in enumerate(outs):
        lines.append('    .reg .%s %%d%d;' % (WIDTH[reg_class(t)], k))
    if 't0' in f['body']:
        wide = reg_class(ins[0]) == 'd'
        lines.append('    .reg .%s %%t0;' % ('b64' if wide else 'b32'))
    lines += ['    mov.u32 %i0, %tid.x;', '    mov.u32 %i1, %ctaid.x;', '    mov.u32 %i2, %ntid.x;',
              '    mad.lo.u32 %i0, %i1, %i2, %i0;', '    mul.wide.u32 %at0, %i0, 8;']
    for k, t in enumerate(ins):
        c = reg_class(t)
        lines.append('    ld.param.u64 %%at%d, [p%s];' % (k + 1, LETTERS[k]))
        lines.append('    add.s64 %%at%d, %%at%d, %%at0;' % (k + 1, k + 1))
        if c == 'p':
            lines.append('    ld.global.b32 %%i3, [%%at%d];' % (k + 1))
            lines.append('    setp.ne.b32 %%%s, %%i3, 0;' % LETTERS[k])
        else:
            lines.append('    ld.global.%s %%%s, [%%at%d];' % (WIDTH[c], LETTERS[k], k + 1))
    for k in range(len(outs)):
        lines.append('    ld.param.u64 %%at%d, [p%d];' % (k + 5, k))
        lines.append('    add.s64 %%at%d, %%at%d, %%at0;' % (k + 5, k + 5))
    if f['check'] == 'memory': # 32 bytes of scratch for each thread, 256 KiB into the first result's array
        lines += ['    mul.wide.u32 %m, %i0, 24;', '    add.s64 %m, %m, %at5;', '    add.s64 %m, %m, 262144;']
    lines += ['    ' + s for s in substitute(f['body'], f)]
    for k, t in enumerate(outs):
        c = reg_class(t)
        if c == 'p':
            lines.append('    selp.b32 %%i%d, 1, 0, %%d%d;' % (3 + k, k))
            lines.append('    st.global.b32 [%%at%d], %%i%d;' % (k + 5, 3 + k))
        else:
            lines.append('    st.global.%s [%%at%d], %%d%d;' % (WIDTH[c], k + 5, k))
    lines += ['    ret;', '}', '']
    return '\n'.join(lines)


def main():
    for make in (integer_forms, bit_forms, compare_forms, move_forms, f32_forms, f64_forms, half_forms, approx_forms,
                 convert_forms, video_forms, warp_forms, atomic_forms, load_store_forms,
                 constant_forms):
        make()
    names = [f['name'] for f in forms]
    twice = sorted({n for n in names if names.count(n) > 1})
    assert not twice, twice
    with open(sys.argv[1], 'w') as ptx, open(sys.argv[2], 'w') as txt:
        ptx.write('.version 9.0\n.target sm_90\n.address_size 64\n\n')
        ptx.write('.const .align 16 .u64 table[64] = {%s};\n\n' % ', '.join('%#x' % x for x in CONSTANTS))
        for index, f in enumerate(forms):
            ptx.write(kernel(index, f) + '\n')
            txt.write('\t'.join(['f%d' % index, f['name'], f['check'], str((f['n'] + 31) // 32 * 32), ','.join(f['outs']),
                                 ','.join(f['ins'])]) + '\n')


if __name__ == '__main__':
    main()
