/// Keys made for these tests; none of them opens anything.
enum KeyFixtures {
    /// A P-256 key in PKCS #8, the form of Apple's .p8 files.
    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVM8OBo7VQ7pMFZMc
        FslQ5igL8bUgZLfmFigoNEj+6OKhRANCAAT+DG70q8eTYzEjRieGYtLZFdOGHQCL
        aOCPMvwhjItefaxPuky4e40RpX/XeR3CQl1q82llLpoq2lQ374oO7Ah9
        -----END PRIVATE KEY-----

        """

    /// The public half of ``p256``.
    static let p256Public = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/gxu9KvHk2MxI0YnhmLS2RXThh0A
        i2jgjzL8IYyLXn2sT7pMuHuNEaV/13kdwkJdavNpZS6aKtpUN++KDuwIfQ==
        -----END PUBLIC KEY-----

        """

    /// The same key in the older form, after its parameters, as `openssl ecparam -genkey` writes it.
    static let sec1 = """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIFTPDgaO1UO6TBWTHBbJUOYoC/G1IGS35hYoKDRI/ujioAoGCCqGSM49
        AwEHoUQDQgAE/gxu9KvHk2MxI0YnhmLS2RXThh0Ai2jgjzL8IYyLXn2sT7pMuHuN
        EaV/13kdwkJdavNpZS6aKtpUN++KDuwIfQ==
        -----END EC PRIVATE KEY-----

        """

    /// A key of another curve.
    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAFCnSI5AJLvVJKnpD4
        tRiJWL/+rW/XzIp7z0M0AMyM0vBhLHA7k+pDqLn8OgB9/GChZANiAATEA8WhlMCt
        sUdRPZlzYJpVGY6wNpO6HptAwc3+SWowyq7C5n4HCPYRegTBK5Awqip8ccp2UFGU
        X/COwkAmmKoeVg6vn0qoT/Dd54aGKcj1R1TkcN+GqIgO7h8FtkCigK8=
        -----END PRIVATE KEY-----

        """

    /// An RSA key in PKCS #8.
    static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBALU4ELIpaPk9BQ7V
        MR/0CM2sTS/V9DrFyLSf2iV+dA42xfLGoiBEaNZ1rg9uBz20UolOJWOWGSQ5mV2u
        y8NCcSQTAxwiKXcPKtNH6LWFTahfEfCq9QeG8cOmEfXlG8eeahbDQ/UsAGP5BcXz
        8RCn/k/IubNiYaBi/yBc05XQaGIbAgMBAAECgYBHtg31Uqm1p03vFrI/4MPzD7Hj
        shjZgRbxUyhyGd43GbmvXqcdebS62QquFG5NHqRirUfiZq1ARoLILbl4ZTx7zXTF
        KwR9Ykx41u37uXo5eebCpg/MjmhpE8f3Ays4N7iR+IMkibb/sEJX7fgccytRHTmC
        fXxfHo4BkLlwWfxmkQJBAN5NVTi5oNMAf9bh5H+1JXHccOrRwwyQevW2x2OV4myr
        9zOSumXhnT2mQpoS3Mpcf/02NFwlutwN03M+UOpuKB8CQQDQsHXK1uh4H973lTZO
        SbC1QbHFDJja6TIkIpyeNNvTvcBQK4D4MQs+1mt6uA5cvHEBmgt7W3Vws5Wd11ss
        aTaFAkAv1Yge+qKGhLb9cAIRENOL2plZjeVgkL5EnR3uadQc+ivpJwuA3LlPCLWQ
        HbrwuFK6E63UnjHFJBx50dDrgOSVAkEAvOIKK0YqcJdAIsyNs3wlEVldgiEttG1+
        sZAWO2dSVCqZhrZpa7pQGFbQPumaLjts+OspW0RjXldcotlJrz+nVQJAGV9Z13ot
        Lg7hXTnYBfiOMe+jVvvDbAi9F4MeB4Gl8cmGYpMukXJa36v0H7S+jYBZwNxRHoaQ
        jYWhtcVtaEwanw==
        -----END PRIVATE KEY-----

        """

    /// The same RSA key in the older form.
    static let rsaTraditional = """
        -----BEGIN RSA PRIVATE KEY-----
        MIICXAIBAAKBgQC1OBCyKWj5PQUO1TEf9AjNrE0v1fQ6xci0n9olfnQONsXyxqIg
        RGjWda4Pbgc9tFKJTiVjlhkkOZldrsvDQnEkEwMcIil3DyrTR+i1hU2oXxHwqvUH
        hvHDphH15RvHnmoWw0P1LABj+QXF8/EQp/5PyLmzYmGgYv8gXNOV0GhiGwIDAQAB
        AoGAR7YN9VKptadN7xayP+DD8w+x47IY2YEW8VMochneNxm5r16nHXm0utkKrhRu
        TR6kYq1H4matQEaCyC25eGU8e810xSsEfWJMeNbt+7l6OXnmwqYPzI5oaRPH9wMr
        ODe4kfiDJIm2/7BCV+34HHMrUR05gn18Xx6OAZC5cFn8ZpECQQDeTVU4uaDTAH/W
        4eR/tSVx3HDq0cMMkHr1tsdjleJsq/czkrpl4Z09pkKaEtzKXH/9NjRcJbrcDdNz
        PlDqbigfAkEA0LB1ytboeB/e95U2TkmwtUGxxQyY2ukyJCKcnjTb073AUCuA+DEL
        PtZrergOXLxxAZoLe1t1cLOVnddbLGk2hQJAL9WIHvqihoS2/XACERDTi9qZWY3l
        YJC+RJ0d7mnUHPor6ScLgNy5Twi1kB268LhSuhOt1J4xxSQcedHQ64DklQJBALzi
        CitGKnCXQCLMjbN8JRFZXYIhLbRtfrGQFjtnUlQqmYa2aWu6UBhW0D7pmi47bPjr
        KVtEY15XXKLZSa8/p1UCQBlfWdd6LS4O4V052AX4jjHvo1b7w2wIvReDHgeBpfHJ
        hmKTLpFyWt+r9B+0vo2AWcDcUR6GkI2FobXFbWhMGp8=
        -----END RSA PRIVATE KEY-----

        """

    /// ``p256`` under a password.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgxEuwiqBRN0wICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEENQfanqWi60zcC75y8bUbJwEgZAz
        xdv+5KhOHNZnlTKWna+HsLFNgrSfrd6HMpJ9J8+qu8jvc9sJDKvams8TWRgETO92
        b+VzHAhbd/Kv46MjT6AnGM8Hnp5IhPuCMpLmyQzih5auTVbfPVKaFulagfKGl6d4
        w6857xyl5GuPoBjwBo86llccn33XwqBhB5Yf9Tdy0lVv6XI55IL4j4cMUJ1sFkc=
        -----END ENCRYPTED PRIVATE KEY-----

        """

    /// The same in the older form.
    static let encryptedTraditional = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,E56D3F1358A8185CE52EBD10097CFEA4

        ePJF0kZaC3Kc3Qh3N7XFi66/8d+9PTO+cnNZP0v93ONNRCdEZHTl6UXL2QUctB4Z
        1HY4L8VZnK5VQS0jzWxP50IfJetYMSIdHoFnthdzLvMGo5hiRw2/4bLP1iAJDiCf
        Au4DdfLsVF9gDH/gGg512/FVB8bpipCMGgJk04M1eLM=
        -----END EC PRIVATE KEY-----

        """

    /// An Ed25519 key.
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEILljKXSVTHd1RRMSm95eNNARobIAON5EX4A8PbNUDTss
        -----END PRIVATE KEY-----

        """
}
