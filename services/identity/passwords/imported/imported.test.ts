import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswords } from '../passwords.ts';
import { spellingsOf, storedForm } from './imported.ts';
import { published } from './published-hashes.ts';

const passwords = createPasswords();

for (const [name, password, hash] of published)
  test(`a hash of another system matches its password only: ${name}`, async () => {
    const stored = await passwords.adopt(hash);
    assert.equal(await passwords.verify(stored, password), true);
    assert.equal(await passwords.verify(stored, `${password}r`), false);
    assert.equal(passwords.isOutdated(stored), true);
  });

test('a hash that is too weak is stored inside argon2id, with the salt of an LDAP server', async () => {
  const stored = await passwords.adopt('e5e9fa1ba31ecd1ae84f75caaa474f3a663f05f4');
  assert.match(stored, /^imported sha1::\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.doesNotMatch(stored, /e5e9fa1ba31ecd1a/);
  const salted = await passwords.adopt('{SSHA}Wcm1xEisNjqp921ALcHfuQ7avFdzYWx0MTIzNA==');
  assert.match(salted, /^imported sha1:c2FsdDEyMzQ:\$argon2id\$/);
  assert.equal(await passwords.verify(salted, 'secret'), true);
  assert.equal(await passwords.verify(salted, 'Secret'), false);
});

test('a password matches however its accents are typed', async () => {
  const django = 'pbkdf2_sha256$260000$seasalt$YlZ2Vggtqdc61YjArZuoApoBh9JNGYoDRBUGu6tcJQo=';
  const stored = await passwords.adopt(django);
  assert.equal(await passwords.verify(stored, 'lètmein'.normalize('NFD')), true);
  assert.equal(await passwords.verify(stored, 'lètmein'.normalize('NFC')), true);
  assert.equal(spellingsOf('letmein').length, 1);
  assert.equal(spellingsOf('lètmein').length, 2);
  // Neither composed nor decomposed.
  assert.equal(spellingsOf(`è${'è'.normalize('NFD')}`).length, 3);
});

const salt = 'c29tZXNhbHQ';
const result = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

test('a hash whose comparison would take seconds or gigabytes is refused', async () => {
  for (const hash of [
    `$argon2id$v=19$m=2097152,t=1,p=4$${salt}$${result}`,
    `$argon2id$v=19$m=131072,t=90,p=1$${salt}$${result}`,
    `$argon2id$v=19$m=65536,t=2,p=200$${salt}$${result}`,
    '$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    `$scrypt$ln=20,r=8,p=1$${salt}$${result}`,
    `$scrypt$ln=99,r=8,p=1$${salt}$${result}`,
    `$fbscrypt$v=1,n=14,r=8,p=999,ss=Bw==,sk=${result}$${salt}$${result}`,
    `$pbkdf2-sha256$i=90000000,l=32$${salt}$${result}`,
    `pbkdf2_sha256$90000000$seasalt$${result}`,
    `$6$rounds=999999999$saltstring$${'a'.repeat(86)}`,
    `$P$zIQRaTwmf${'a'.repeat(22)}`,
    '$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    `$5$rounds=999999999$saltstring$${'a'.repeat(43)}`,
    `argon2$argon2id$v=19$m=2097152,t=1,p=4$${salt}$${result}`,
    `scrypt$1073741$seasalt$8$1$${result}`,
    `scrypt:99999999:8:1$salt$${'a'.repeat(128)}`,
    `pbkdf2:sha256:90000000$salt$${'a'.repeat(64)}`,
    // ASP.NET's with 16,777,215 iterations.
    `AQAAAAIA////AAAAE${'A'.repeat(65)}==`,
  ])
    await assert.rejects(passwords.adopt(hash), { reason: 'HASH_COST' }, hash);
});

test('a salted hash of so low a cost that it would be guessed quickly is refused', async () => {
  for (const hash of [
    `$argon2id$v=19$m=1024,t=3,p=1$${salt}$${result}`,
    `$argon2id$v=19$m=8,t=1,p=1$${salt}$${result}`,
    `$argon2i$v=19$m=4096,t=0,p=1$${salt}$${result}`,
    `$scrypt$ln=9,r=8,p=1$${salt}$${result}`,
    `$pbkdf2-sha256$i=999,l=32$${salt}$${result}`,
    `pbkdf2_sha256$1$seasalt$${result}`,
    `$6$rounds=999$saltstring$${'a'.repeat(86)}`,
    `$P$5IQRaTwmf${'a'.repeat(22)}`,
    `scrypt$16$seasalt$8$1$${result}`,
    `pbkdf2:sha256:1$salt$${'a'.repeat(64)}`,
    `AQAAAAIAAAABAAAAE${'A'.repeat(65)}==`,
  ])
    await assert.rejects(passwords.adopt(hash), { reason: 'HASH_COST' }, hash);
});

test('the costs that other systems set by default are accepted', async () => {
  for (const hash of [
    // Django, argon2-cffi and Keycloak.
    `$argon2id$v=19$m=102400,t=2,p=8$${salt}$${result}`,
    `$argon2id$v=19$m=65536,t=3,p=4$${salt}$${result}`,
    `$argon2id$v=19$m=7168,t=5,p=1$${salt}$${result}`,
    // Spring Security.
    `$scrypt$ln=16,r=8,p=1$${salt}$${result}`,
    '$2b$12$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    // Django 6, Keycloak and ASP.NET Core.
    `pbkdf2_sha256$1200000$seasalt$${result}`,
    `$pbkdf2-sha512$i=210000$${salt}$${result}`,
    `$pbkdf2-sha256$i=10000$${salt}$${result}`,
    // WordPress and phpBB.
    `$P$B${'a'.repeat(30)}`,
    `$H$9${'a'.repeat(30)}`,
  ])
    assert.match(await passwords.adopt(hash), /^imported /, hash);
});

test('a text that is no hash is refused', async () => {
  for (const hash of [
    '',
    'secret',
    'imported 5ebe2294ecd0e0f08eab7690d2a6ee69',
    `sha1::$argon2id$v=19$m=19456,t=2,p=1$${salt}$${result}`,
    `$argon2d$v=19$m=65536,t=2,p=1$${salt}$${result}`,
    '$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    `$pbkdf2-md5$i=1000,l=16$${salt}$${result}`,
    '$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/',
    '{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ=',
    '{CRYPT}x',
    '{CRYPT}$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/',
    `argon2$argon2d$v=19$m=65536,t=2,p=1$${salt}$${result}`,
    'bcrypt_sha256$secret',
    `AQAAAAMAAYag${'A'.repeat(70)}==`,
    '{SSHA512}5en6G6MezRroT3XKqkdPOmY/BfQ=',
    'a'.repeat(33),
  ])
    await assert.rejects(passwords.adopt(hash), { reason: 'HASH_FORM' }, hash);
  // So short a result would match by chance.
  await assert.rejects(passwords.adopt(`$pbkdf2-sha1$i=4096,l=4$${salt}$SwB5AQ`), {
    code: 'invalid_argument',
  });
});

test('storedForm reads a hash as it is and hashes weak ones only', async () => {
  const harden = () => Promise.reject(new Error('hashed'));
  assert.match(await storedForm('$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', harden), /^imported \$P\$9/);
  await assert.rejects(storedForm('5ebe2294ecd0e0f08eab7690d2a6ee69', harden), /hashed/);
});
