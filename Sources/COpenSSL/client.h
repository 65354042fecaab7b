#pragma once
// What the push client's keys and TLS need of OpenSSL's macros.
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ssl.h>

static inline int cuecard_ssl_ctx_require_tls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

static inline void cuecard_ssl_ctx_set_nonblocking_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                                  | SSL_MODE_RELEASE_BUFFERS);
}

static inline uint64_t cuecard_ssl_op_ignore_unexpected_eof(void) { return SSL_OP_IGNORE_UNEXPECTED_EOF; }

static inline int cuecard_ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline long cuecard_bio_mem_data(BIO *bio, char **data) {
    return BIO_get_mem_data(bio, data);
}
