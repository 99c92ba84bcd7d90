// For the tests.

/** Published hashes, and the passwords that they are of. */
export const published: ReadonlyArray<readonly [name: string, password: string, hash: string]> = [
  [
    'argon2id (test.c of the reference implementation)',
    'password',
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ],
  [
    'argon2i (test.c of the reference implementation)',
    'password',
    '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
  ],
  [
    'bcrypt (crypt_blowfish)',
    'U*U',
    '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
  ],
  [
    'scrypt (RFC 7914, section 12)',
    'pleaseletmein',
    '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw',
  ],
  [
    'scrypt as Firebase changes it (README of firebase/scrypt)',
    'user1password',
    '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
  ],
  [
    'PBKDF2 with SHA-1 (RFC 6070)',
    'password',
    '$pbkdf2-sha1$i=4096,l=20$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE',
  ],
  [
    'PBKDF2 with SHA-256 and two blocks (RFC 7914, section 11)',
    'Password',
    '$pbkdf2-sha256$i=80000,l=64$TmFDbA$TdzY9guYviGDDO5e8icB+WQaRBjQTAQUrv8Ih2s0q1ah1CWhIlgzVJrbhBtRybMXaicr3ruh0HhHj2Kzl/M8jQ',
  ],
  [
    'PBKDF2 of Django (its tests)',
    'lètmein',
    'pbkdf2_sha256$260000$seasalt$YlZ2Vggtqdc61YjArZuoApoBh9JNGYoDRBUGu6tcJQo=',
  ],
  [
    'SHA-512-crypt (U. Drepper)',
    'Hello world!',
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  ],
  ['phpass (its tests)', 'test12345', '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
  ['MD5', 'secret', '5ebe2294ecd0e0f08eab7690d2a6ee69'],
  ['SHA-1', 'secret', 'e5e9fa1ba31ecd1ae84f75caaa474f3a663f05f4'],
  ['SHA-256', 'secret', '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b'],
  ['MD5 of an LDAP server', 'secret', '{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ=='],
  // The next ones are of the libraries themselves: Django 5.2, Werkzeug 3.1 and passlib 1.7.
  [
    'argon2 of Django',
    'lètmein',
    'argon2$argon2id$v=19$m=102400,t=2,p=8$c2Vhc2FsdHNlYXNhbHQ$5X8M3A6KY2o98xsl1DnfJpaxc9OdBrgUbl3HjifV1qo',
  ],
  [
    'bcrypt_sha256 of Django',
    'lètmein',
    'bcrypt_sha256$$2b$06$CCCCCCCCCCCCCCCCCCCCC.2bcGgJR1dQ.teu7a7FJYx2COF/Wh6U2',
  ],
  [
    'bcrypt of Django',
    'lètmein',
    'bcrypt$$2b$06$CCCCCCCCCCCCCCCCCCCCC.9IV7hUhxTyx.7s4U2k6Li47kYC277AO',
  ],
  [
    'scrypt of Django',
    'lètmein',
    'scrypt$16384$seasalt$8$5$ECMIUp+LMxMSK8xB/IVyba+KYGTI7FTnet025q/1f/vBAVnnP3hdYqJuRi+mJn6ji6ze3Fbb7JEFPKGpuEf5vw==',
  ],
  [
    'scrypt of Werkzeug',
    'lètmein',
    'scrypt:32768:8:1$N3PzvkfmGLYOeel7$ef0a82694ed4ab9dba8129364337439c13697d05df9e8e6d018851a55de1edebf23e63966110c718e496d38a39a0f8ae899c725e1a266d10707b056a16c0c86f',
  ],
  [
    'PBKDF2 of Werkzeug',
    'lètmein',
    'pbkdf2:sha512:2000$t2ZmU4eDiiu0yaM9$bb358dadcf4ac133b5df1618fb0d21cf518ba4509d1e7c148056d2395a3de2fab37cb2394c3bc5333fa56279d70c6c71162698618d6b2dbcd8f4d9e0ff45b210',
  ],
  [
    'SHA-512 of an LDAP server, with a salt',
    'lètmein',
    '{SSHA512}fWu5QRPzcN5GxzK0Pqys6OZb5jgNZGhzSvNHqQuwCJIDbAQCEw+mfjAnGkG5ZfeoyCWH5bDXOnNEibhmkmpUGIlRSokRgrCW',
  ],
  [
    'SHA-256 of an LDAP server, with a salt',
    'lètmein',
    '{SSHA256}RnbkqA0bkKDM4kl7Uhwp4E9nFKG+Ea1uOYmi/GN9QR5LSck5J8QYYw==',
  ],
  [
    'SHA-512-crypt of an LDAP server (U. Drepper)',
    'Hello world!',
    '{CRYPT}$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  ],
  [
    'SHA-256-crypt (U. Drepper)',
    'Hello world!',
    '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5',
  ],
  // The next ones follow the source of the framework, computed with Python's hashlib and bcrypt.
  [
    'bcrypt of WordPress 6.8',
    ' lètmein\t',
    '$wp$2y$06$CCCCCCCCCCCCCCCCCCCCC.9lXWdvBFxyF.pQC2oW9UIuX7oWUS5.G',
  ],
  [
    'scrypt of Better Auth',
    'lètmein',
    'd41d8cd98f00b204e9800998ecf8427e:1915c0a72d9e00c828fef607b0e6e17d6e0fcceb210db3555357afbaa76c9a521b49a819c699529b6302f3d9ce4497c5b37ba74f41341fd1fdfafd7aecc9b3c0',
  ],
  [
    'PBKDF2 of ASP.NET Core Identity, .NET 8',
    'lètmein',
    'AQAAAAIAAYagAAAAEAABAgMEBQYHCAkKCwwNDg9YhPRnnYvGCt/VZWOztUUVBUZPugYNlvFKFFr0/7PHzw==',
  ],
  [
    'PBKDF2 of ASP.NET Core Identity, .NET Core 3',
    'lètmein',
    'AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg/qrY/kza4bhW0WHBZ2aWafWzqnvZK7CBl4WcYGmVFohQ==',
  ],
  [
    'PBKDF2 of ASP.NET Identity 2',
    'lètmein',
    'AAABAgMEBQYHCAkKCwwNDg/j8ka6Y/GXhWNETBHca2SgDwLRw1y+XFzddVevideHgg==',
  ],
  [
    'bcrypt of Devise with a pepper',
    'secret',
    '$bcrypt-pepper$YTFiMmMzZDRhMWIyYzNkNGExYjJjM2Q0YTFiMmMzZDRhMWIyYzNkNGExYjJjM2Q0YTFiMmMzZDRhMWIyYzNkNGExYjJjM2Q0YTFiMmMzZDRhMWIyYzNkNGExYjJjM2Q0YTFiMmMzZDRhMWIyYzNkNGExYjJjM2Q0YTFiMmMzZDQ$2a$06$CCCCCCCCCCCCCCCCCCCCC.bfQbEtoSYoVu6NQ4lOxtXtcIrQZBwuq',
  ],
];
