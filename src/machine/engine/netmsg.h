/*
 * What travels in the networks beside the request itself: the class of the message, the size of the packet and the
 * piece of the line in it.
 *
 * Classes. Messages of different classes never wait for each other: each class has its own injection ports, its own
 * queues or virtual channels and its own ejection ports. The enumeration is in the order of waiting: a unit that accepts
 * messages of one class may have to wait for room in a later one, never in an earlier one, and the last of them are
 * always taken. So no cycle of waits can close (docs/noc.md). A machine whose L1s talk to the L2 only has NET_TO_L2 and
 * NET_FROM_L2.
 *
 * Size. An L2 that answers sector by sector sends several small packets for one request. They are sent when the last of
 * them is there, one after the other, so one message represents all: net_pieces() packets of net_bytes() each.
 *
 * Copies. A packet marked by net_copy() is made on the receivers' side of the network from another one's data: it takes
 * time of its receiver's link, but not of its sender's.
 */
#ifndef WEIR_ENGINE_NETMSG_H
#define WEIR_ENGINE_NETMSG_H

#include <stdbool.h>
#include <stdint.h>

enum net_class {
    NET_TO_HOME,             /* request, SM to the SM that is the line's home (its first leg, when the L2 forward it) */
    NET_TO_HOME_FORWARDED,   /* its second leg, L2 slice to home */
    NET_TO_L2,               /* request, SM to L2 slice */
    NET_FROM_L2,             /* reply, L2 slice to SM */
    NET_FROM_HOME,           /* reply, home to the SM that asked (its first leg, when the L2 forward it) */
    NET_FROM_HOME_FORWARDED, /* its second leg, L2 slice to SM */
    NET_CLASS_COUNT
};

#define NET_HEADER_BYTES 8 /* address, type and sender: what a packet without data weighs */

static inline uint32_t net_info(uint32_t bytes, uint32_t sectors)
{
    return bytes | sectors << 16 | 1u << 24;
}
static inline uint32_t net_info_pieces(uint32_t bytes, uint32_t sectors, uint32_t pieces)
{
    return bytes | sectors << 16 | pieces << 24;
}
static inline uint32_t net_copy(uint32_t info)
{
    return info | 1u << 15;
}
static inline bool net_is_copy(uint32_t info)
{
    return info >> 15 & 1;
}
static inline uint32_t net_bytes(uint32_t info)
{
    return info & 0x7fff;
} /* of one piece */
static inline uint32_t net_sectors(uint32_t info)
{
    return info >> 16 & 0xff;
}
static inline uint32_t net_pieces(uint32_t info)
{
    return info >> 24;
}

#endif
