/*
 * What travels in the networks beside the request itself: the size of the packet and the piece of the line in it.
 * A reply may come in pieces (an L2 with 32-byte sectors answers a 128-byte miss with four packets); each piece is a
 * message that names the same request.
 */
#ifndef WEIR_ENGINE_NETMSG_H
#define WEIR_ENGINE_NETMSG_H

#include <stdint.h>

#define NET_HEADER_BYTES 8 /* address, type and sender: what a packet without data weighs */

static inline uint32_t net_info(uint32_t bytes, uint32_t sectors)
{
    return bytes | sectors << 16;
}
static inline uint32_t net_bytes(uint32_t info)
{
    return info & 0xffff;
}
static inline uint32_t net_sectors(uint32_t info)
{
    return info >> 16 & 0xff;
}

#endif
