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
];
