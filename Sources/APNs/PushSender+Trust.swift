import COpenSSL

extension PushSender {
    /// Whether the trusted certificates hold the root of APNs' own: USERTrust RSA Certification Authority.
    ///
    /// A slim container image without `ca-certificates` does not, and no push leaves it.
    /// Source: "Apple Push Notification service server certificate update" (developer.apple.com/news/?id=09za8wzy).
    ///
    /// - Parameter caFile: PEM roots that are trusted beside the system's; nil for none.
    /// - Returns: true where Apple's hosts can be verified.
    /// - Throws: ``APNsError/setting(_:)`` where the file cannot be read.
    public static func trustsApple(caFile: String? = nil) throws(APNsError) -> Bool {
        try TLSContext(caFile: caFile).holdsRoot([
            ("C", "US"), ("ST", "New Jersey"), ("L", "Jersey City"), ("O", "The USERTRUST Network"),
            ("CN", "USERTrust RSA Certification Authority"),
        ])
    }
}

extension TLSContext {
    /// Whether a certificate with this subject is among the trusted ones.
    func holdsRoot(_ subject: [(field: String, value: String)]) -> Bool {
        guard let context = trusting() else { return false }
        let name = X509_NAME_new()
        let search = X509_STORE_CTX_new()
        let found = X509_OBJECT_new()
        defer {
            X509_OBJECT_free(found)
            X509_STORE_CTX_free(search)
            X509_NAME_free(name)
            ERR_clear_error()
        }
        for (field, value) in subject {
            guard X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, value, -1, -1, 0) == 1 else { return false }
        }
        guard X509_STORE_CTX_init(search, SSL_CTX_get_cert_store(context), nil, nil) == 1 else { return false }
        return X509_STORE_CTX_get_by_subject(search, X509_LU_X509, name, found) == 1
    }
}
