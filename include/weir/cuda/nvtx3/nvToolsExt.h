/*
 * NVTX: marks and ranges for a profiler's timeline. Nobody reads them here, so they do nothing; like NVIDIA's version 3 they
 * are headers without a library. Left out: counters, payloads, the C++ interface.
 */
#ifndef NVTX_VERSION
#define NVTX_VERSION 3
#pragma GCC system_header

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_NO_PUSH_POP_TRACKING     ((int)-2)

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#define WEIR_NVTX(type, name, parameters, result)                                                                      \
    static inline type name parameters                                                                                 \
    {                                                                                                                  \
        return result;                                                                                                 \
    }
#define WEIR_NVTX_NONE /* of functions without a result */
WEIR_NVTX(void, nvtxInitialize, (const void *reserved), WEIR_NVTX_NONE)
WEIR_NVTX(void, nvtxMarkA, (const char *message), WEIR_NVTX_NONE)
WEIR_NVTX(void, nvtxMarkW, (const wchar_t *message), WEIR_NVTX_NONE)
WEIR_NVTX(void, nvtxMarkEx, (const nvtxEventAttributes_t *event), WEIR_NVTX_NONE)
WEIR_NVTX(nvtxRangeId_t, nvtxRangeStartA, (const char *message), 0)
WEIR_NVTX(nvtxRangeId_t, nvtxRangeStartW, (const wchar_t *message), 0)
WEIR_NVTX(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t *event), 0)
WEIR_NVTX(void, nvtxRangeEnd, (nvtxRangeId_t id), WEIR_NVTX_NONE)
WEIR_NVTX(int, nvtxRangePushA, (const char *message), NVTX_NO_PUSH_POP_TRACKING)
WEIR_NVTX(int, nvtxRangePushW, (const wchar_t *message), NVTX_NO_PUSH_POP_TRACKING)
WEIR_NVTX(int, nvtxRangePushEx, (const nvtxEventAttributes_t *event), NVTX_NO_PUSH_POP_TRACKING)
WEIR_NVTX(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
WEIR_NVTX(void, nvtxNameCategoryA, (uint32_t category, const char *name), WEIR_NVTX_NONE)
WEIR_NVTX(void, nvtxNameOsThreadA, (uint32_t thread, const char *name), WEIR_NVTX_NONE)
WEIR_NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *name), 0)
WEIR_NVTX(nvtxDomainHandle_t, nvtxDomainCreateW, (const wchar_t *name), 0)
WEIR_NVTX(void, nvtxDomainNameCategoryA, (nvtxDomainHandle_t domain, uint32_t category, const char *name), WEIR_NVTX_NONE)
WEIR_NVTX(void, nvtxDomainNameCategoryW, (nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name),
          WEIR_NVTX_NONE)
WEIR_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringW, (nvtxDomainHandle_t domain, const wchar_t *text), 0)
WEIR_NVTX(void, nvtxDomainDestroy, (nvtxDomainHandle_t domain), WEIR_NVTX_NONE)
WEIR_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringA, (nvtxDomainHandle_t domain, const char *text), 0)
WEIR_NVTX(void, nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), WEIR_NVTX_NONE)
WEIR_NVTX(nvtxRangeId_t, nvtxDomainRangeStartEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), 0)
WEIR_NVTX(void, nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t id), WEIR_NVTX_NONE)
WEIR_NVTX(int, nvtxDomainRangePushEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event),
          NVTX_NO_PUSH_POP_TRACKING)
WEIR_NVTX(int, nvtxDomainRangePop, (nvtxDomainHandle_t domain), NVTX_NO_PUSH_POP_TRACKING)
#undef WEIR_NVTX
#undef WEIR_NVTX_NONE

#define nvtxMark                 nvtxMarkA
#define nvtxRangeStart           nvtxRangeStartA
#define nvtxRangePush            nvtxRangePushA
#define nvtxNameCategory         nvtxNameCategoryA
#define nvtxNameOsThread         nvtxNameOsThreadA
#define nvtxDomainCreate         nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA

#endif
