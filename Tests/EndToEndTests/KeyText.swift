/// Keys that are no APNs keys, made for these tests alone.
enum KeyText {
    static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC6uciY0fOpHUOD
        nGC1nHbFbqKtxYLmp4wRz6X9ZrU0+U4DSyTG8AdXWW30UxTY2Jn4twPW29tSi70O
        1QaHBkGXvc5vX/pkS5JpibKOWdGVks3pHl1bl54TAYgpqzrqygTMpZvaWz4Rodjr
        2pL7Yzi6PhJs2abay0rniJoxVFoTCuy1R+IjDlsp75VIFt7il78UmZvsPolLkeny
        7Qpzo7FV8csIAgtM+SlVIC+Rtl/sxm0kplLIjBXQfFbv9PDk7lckcqvRBcXMrDZ+
        GiFJ5UIbJ2Nl/h8XMl8hBBKyjzH4x/Sdc47BYJTgapssvR0dmVEFvC2OFTOoHQCH
        MBjYJ/qxAgMBAAECggEAAThI2MM1MdxvOmQmLBAm0iJf3lg55RTc9MdNeTgA7/Ao
        qJQVxaDw7L+ajZzrkmL5g/JcBNsOjKkfOK9/DzbwRyx48cAW2zy0rrhaiuPTgPUm
        ehtueGkYbT8Q0M6FPlbISrcHUPN90t/Xe80Wbfe1l9dMvGXXBoohwEoBq996Dd+5
        RbTqqUG6l5rsJTklGaL/uBF4b+JRpdd0H8QMP81JI6ostoqQIIkpiJ0a7X+/E5ZW
        Y8gTspqmepQRgOLtnR8M4Qh2GpgrZDXy8VPyw29STuo6rJoZWBQRNF+yKg8Tgq+T
        3kAiS/Wb9oOomZzet/1DI5xRlfhUZMo2PKXjVpOW8wKBgQDlYbqCRA8OyC4T6fn8
        djz7CEP3uOEZMLNjj25t1sJtoz0MWytscXGulTknmBewnIl1Ao99ya+I8CdCCsYX
        7PChJEg0tG/RkU3Y2Bj1Tf8buLvyFjBPTjIQQbTvmJCFs0+VqFTAqSzGXDcZXR3r
        lIHkj5daUFw8VLwaFEIdi5t2uwKBgQDQZN32X893ep0g1rPcWJBUyz2moGdWXlbH
        /nuqePdIOs9j8VjHmRwOvz02kYwNHH+rVYfaMsLKOGkCqv8Z7+ithu9q2ySV1NB1
        0mv4UNLw+ZWhhzHkFDMM7Lvmzg4f77QCELYoTs99VfKU1ct87E5EooDky5G+Jv+i
        I//E9jWbgwKBgQDiEwAPg6STnRhM6D5KZP6VLABRFxZEDYvAhI0CFLhr9ocktnaF
        2wmAV/KM44n1t1KC0JM8Fpu7C3al0JiM3CoNqATCbVQH6H4hSlrO6qCUYe5bGyNi
        Bl+xRhFeU6+dFq1Jgy6E9Df9CMYFaZEjrqqW6i7yBGHj1F/QFEdVd1MyIQKBgHpR
        +odXDawP6JMR81jvEyjycymPFZj4nu+dTHFvt5ZKDtmXHIlsMa/mSMPzAsXfaIDl
        H2zQRs3z9o9+V2aeD3FrtrR+FSdtVz8RWBbVOjwAA/hgJsS9pol7m3+Ki3frdzmP
        HZzjRZ9IB6+dHmghPH/E8utZIh7/PSWrA8JU0nqJAoGAMdIF9mFAsynK8KTARnn+
        UoaessXxykp4clCqOXAU6eojSfb9/x9Kf0kAJGfgd1fOXzgGS93FSZX3XaQq/kGt
        daaeRBdjmD5oA7Un6vT+dPdXaeUMEVe2yRdSAu4+6QBektPqLeXR4D0NlcfgZYvc
        A+nD7bXu/E1N81E0lZjOnlc=
        -----END PRIVATE KEY-----
        """

    /// Its password is of no interest: a worker cannot be asked for one.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiP8pppViV5JAICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMrhrjt3Od5pD0PgveKtLm4EgZBt
        pOeAkVLPux7Kh5SQna2eU+PQW1GXs720MzfxeYURJcD+iPSzstwnPcNmuPErRE4T
        i4V/YNHVsfwTby7Xup1JXbsItuVsZcvXRK5GDf8+1zMZeN1d37o29PBtVK8oJSAE
        ybZfgH9YxWoD0joK1nloLed7RaquADLNHmouGYWEjDv5gcDeLu7HG7nO59YzemE=
        -----END ENCRYPTED PRIVATE KEY-----
        """
}
