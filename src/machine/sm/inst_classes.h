/*
 * How each class of instruction is executed: SM_CLASS_<class of trace/kernel.h>(X) is X(unit, latency, interval).
 *
 * Latencies and initiation intervals are the defaults of sm.lat.* and sm.ii.*: those of GPGPU-Sim's GTX480 where it
 * has them. Latency: cycles from entering the unit to the result. Interval: cycles until the unit accepts the next
 * warp. For loads and stores the memory hierarchy determines the latency; the value here applies to one that touches
 * no memory.
 */
#ifndef WEIR_SM_CLASSES_H
#define WEIR_SM_CLASSES_H

/* clang-format off */
#define SM_CLASS_NOP(X)          X(SP, "1", "1")
#define SM_CLASS_MOVE(X)         X(SP, "1", "1")
#define SM_CLASS_INT_ADD(X)      X(INT, "4", "1")
#define SM_CLASS_INT_MINMAX(X)   X(INT, "13", "2")
#define SM_CLASS_INT_MUL(X)      X(INT, "4", "2")
#define SM_CLASS_INT_MAD(X)      X(INT, "5", "1")
#define SM_CLASS_INT_DIV(X)      X(SFU, "145", "8")
#define SM_CLASS_FP_ADD(X)       X(SP, "4", "1")
#define SM_CLASS_FP_MINMAX(X)    X(SP, "13", "2")
#define SM_CLASS_FP_MUL(X)       X(SP, "4", "1")
#define SM_CLASS_FP_MAD(X)       X(SP, "5", "1")
#define SM_CLASS_FP_DIV(X)       X(SFU, "39", "4")
#define SM_CLASS_DP_ADD(X)       X(DP, "8", "8")
#define SM_CLASS_DP_MINMAX(X)    X(DP, "19", "16")
#define SM_CLASS_DP_MUL(X)       X(DP, "8", "8")
#define SM_CLASS_DP_MAD(X)       X(DP, "8", "8")
#define SM_CLASS_DP_DIV(X)       X(DP, "330", "130")
#define SM_CLASS_SFU(X)          X(SFU, "20", "8")
#define SM_CLASS_CVT(X)          X(INT, "4", "1")
#define SM_CLASS_TENSOR(X)       X(TENSOR, "32", "8")
#define SM_CLASS_WARP(X)         X(SP, "24", "2")
#define SM_CLASS_LOAD(X)         X(LSU, "1", "1")
#define SM_CLASS_STORE(X)        X(LSU, "1", "1")
#define SM_CLASS_ATOM(X)         X(LSU, "1", "1")
#define SM_CLASS_RED(X)          X(LSU, "1", "1")
#define SM_CLASS_TEX(X)          X(LSU, "1", "1")
#define SM_CLASS_SURF(X)         X(LSU, "1", "1")
#define SM_CLASS_BARRIER(X)      X(SP, "1", "1")
#define SM_CLASS_FENCE(X)        X(LSU, "1", "1")
#define SM_CLASS_BRANCH(X)       X(SP, "1", "1")
#define SM_CLASS_CALL(X)         X(SP, "1", "1")
#define SM_CLASS_RET(X)          X(SP, "1", "1")
#define SM_CLASS_EXIT(X)         X(SP, "1", "1")
#define SM_CLASS_SLEEP(X)        X(SP, "40", "1")
#define SM_CLASS_ASYNC(X)        X(ASYNC, "1", "1")
#define SM_CLASS_MBARRIER(X)     X(ASYNC, "30", "1")
#define SM_CLASS_WGMMA(X)        X(SP, "1", "1")
/* clang-format on */

enum sm_unit {
    SM_UNIT_SP,
    SM_UNIT_INT,
    SM_UNIT_SFU,
    SM_UNIT_DP,
    SM_UNIT_TENSOR,
    SM_UNIT_ASYNC,
    SM_UNIT_LSU,
    SM_UNIT_COUNT
};

#endif
