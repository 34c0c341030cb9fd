/*
 * What travels in the networks beside the request itself: the size of the packet and the piece of the line in it.
 * An L2 that answers sector by sector sends several small packets for one request. They are sent when the last of them
 * is there, one behind the other, so one message stands for all: net_pieces() packets of net_bytes() each.
 */
#ifndef WEIR_ENGINE_NETMSG_H
#define WEIR_ENGINE_NETMSG_H

#include <stdint.h>

#define NET_HEADER_BYTES 8 /* address, type and sender: what a packet without data weighs */

static inline uint32_t net_info(uint32_t bytes, uint32_t sectors)
{
    return bytes | sectors << 16 | 1u << 24;
}
static inline uint32_t net_info_pieces(uint32_t bytes, uint32_t sectors, uint32_t pieces)
{
    return bytes | sectors << 16 | pieces << 24;
}
static inline uint32_t net_bytes(uint32_t info)
{
    return info & 0xffff;
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
