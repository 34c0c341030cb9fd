// CRC-32 with a table in constant memory and SHA-256 with its rounds unrolled, many messages at once.
#include "check.h"

__constant__ unsigned crc_table[256];
__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__global__ void crc(const unsigned char *text, int each, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned c = ~0u;
    for (int k = 0; k < each; k++)
        c = crc_table[(c ^ text[i * each + k]) & 255] ^ c >> 8;
    out[i] = ~c;
}

__device__ static unsigned rotr(unsigned x, int n) { return x >> n | x << (32 - n); }

// One block of 64 bytes per thread: a message of at most 55 bytes, padded by the host.
__global__ void sha256(const unsigned *block, unsigned *digest)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, v[8];
    for (int t = 0; t < 16; t++)
        w[t] = block[i * 16 + t];
#pragma unroll
    for (int t = 16; t < 64; t++)
        w[t] = w[t - 16] + (rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 7] +
               (rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10);
    for (int k = 0; k < 8; k++)
        v[k] = s[k];
#pragma unroll
    for (int t = 0; t < 64; t++) {
        unsigned t1 = v[7] + (rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + K[t] + w[t];
        unsigned t2 = (rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        for (int k = 7; k > 0; k--)
            v[k] = v[k - 1];
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int k = 0; k < 8; k++)
        digest[i * 8 + k] = s[k] + v[k];
}

int main()
{
    unsigned table[256];
    for (unsigned i = 0; i < 256; i++) {
        unsigned c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[i] = c;
    }
    CUDA(cudaMemcpyToSymbol(crc_table, table, sizeof table));
    const char *nine = "123456789";
    std::vector<unsigned char> text;
    for (int i = 0; i < 64; i++)
        text.insert(text.end(), nine, nine + 9);
    dev<unsigned char> dt(text);
    dev<unsigned> dc(64);
    crc<<<1, 64>>>(dt, 9, dc);
    RAN();
    check_equal("crc", dc.get(), std::vector<unsigned>(64, 0xcbf43926));

    std::vector<unsigned> block(32 * 16), want;
    const unsigned abc[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    const unsigned empty[8] = {0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924, 0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855};
    for (int i = 0; i < 32; i++) {
        block[i * 16] = i & 1 ? 0x61626380 : 0x80000000;
        block[i * 16 + 15] = i & 1 ? 24 : 0;
        want.insert(want.end(), i & 1 ? abc : empty, (i & 1 ? abc : empty) + 8);
    }
    dev<unsigned> db(block), dd(32 * 8);
    sha256<<<1, 32>>>(db, dd);
    RAN();
    check_equal("sha256", dd.get(), want);
    return check_result();
}
