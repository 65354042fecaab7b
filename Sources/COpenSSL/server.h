#pragma once
// What the simulator's TLS server and its certificates need of OpenSSL's macros and variadics.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/// A new P-256 key; NULL on failure. The caller frees it.
static inline EVP_PKEY *cuecard_server_new_key(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"); }

/// Adds an extension in OpenSSL's text form, such as "critical,CA:TRUE"; 1 on success.
static inline int cuecard_server_add_extension(X509 *certificate, X509 *issuer, int nid, const char *text) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, text);
    if (!extension) return 0;
    int added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

/// TLS 1.2 or newer, and writes that may be partial and repeated from another buffer.
static inline int cuecard_server_set_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                                  | SSL_MODE_RELEASE_BUFFERS);
    return (int)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// The bytes held by a memory BIO; they live as long as it does.
static inline long cuecard_server_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
