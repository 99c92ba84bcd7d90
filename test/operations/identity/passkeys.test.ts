import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, readList, retryWhileBusy } from '../../support/answers.ts';
import { type Changes, createPasskey, unverified } from '../../support/authenticator.ts';
import { newIdentity } from '../../support/federation.ts';
import { type Answer, describeOne, type Stack } from '../../support/harness.ts';
import {
  addPasskey,
  originOf,
  type PasskeyRecord,
  registrationOptions,
} from '../../support/passkeys.ts';
import { mailTo, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';

const dead = ['the token is no longer valid'];

describeOne('passkeys', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  const finish = (Credential: string, token: string, Name = 'Laptop') =>
    stack.call('Passkeys_FinishRegistration', { Credential, Name }, token);
  const passkeysOf = (id: string) => countOf(stack, 'identity.passkey where user_id = $1', [id]);
  const listOf = async (token: string) =>
    (await readList<PasskeyRecord>(stack, 'Passkeys_List', {}, token)).items;
  /** The audit entries about a user with an action. */
  const audited = (action: string, id: string) =>
    countOf(stack, 'identity.outbox where audit like $1 and audit like $2', [
      `%"Action":"${action}"%`,
      `%${id}%`,
    ]);
  const notRecent = (id: string) =>
    rowsOf(
      stack,
      "update identity.session set created_at = created_at - interval '16 minutes' where user_id = $1",
      [id],
    );

  test('Passkeys_BeginRegistration asks for a discoverable passkey of this site with user verification', async () => {
    const { id, email, token } = await signUp(stack);
    const { passkey } = await addPasskey(stack, token);
    const options = JSON.parse(await registrationOptions(stack, token)) as Record<string, unknown>;
    assert.deepEqual(options['rp'], { id: '127.0.0.1', name: '127.0.0.1' });
    assert.deepEqual(options['user'], {
      id: Buffer.from(id).toString('base64url'),
      name: email,
      displayName: email,
    });
    assert.deepEqual(options['authenticatorSelection'], {
      residentKey: 'required',
      userVerification: 'required',
      requireResidentKey: true,
    });
    assert.equal(options['attestation'], 'none');
    assert.deepEqual(options['excludeCredentials'], [
      { id: passkey.id, type: 'public-key', transports: ['internal', 'hybrid'] },
    ]);
  });

  test('Passkeys_FinishRegistration stores a named passkey, with an event, an audit entry and a mail', async () => {
    const { id, email, token } = await signUp(stack);
    const { record } = await addPasskey(stack, token, 'My laptop');
    const { ID, CreatedAt, ...rest } = record as PasskeyRecord & { CreatedAt: string };
    assert.match(ID, /^psk_/);
    assert.ok(Date.parse(CreatedAt) > Date.now() - 60_000);
    assert.deepEqual(rest, {
      Name: 'My laptop',
      BackupEligible: true,
      BackedUp: true,
      Transports: ['internal', 'hybrid'],
      AAGUID: '00000000-0000-0000-0000-000000000000',
    });
    assert.deepEqual(await listOf(token), [record]);
    assert.equal(await audited('user.passkey_added', id), 1);
    const events = await rowsOf<{ event: string }>(
      stack,
      "select event from identity.outbox where type = 'user.passkey_added' and event like $1",
      [`%${id}%`],
    );
    assert.equal(events.length, 1);
    const mail = await mailTo(stack, email, 2);
    assert.equal(mail.Subject, 'A passkey was added to your account');
    assert.match(mail.Text, /“My laptop”/);
  });

  test('Passkeys_Rename and Passkeys_Delete are about the caller’s own passkeys only', async () => {
    const [ada, bob] = [await signUp(stack), await signUp(stack)];
    const { record } = await addPasskey(stack, ada.token);
    const renamed = { ID: record.ID, Name: 'Mine now' };
    assertRefused(await stack.call('Passkeys_Rename', renamed, bob.token), 400, 'not_found');
    bodyOf(await stack.call('Passkeys_Delete', { ID: record.ID }, bob.token));
    assert.deepEqual([await listOf(ada.token), await listOf(bob.token)], [[record], []]);
    const { Passkey } = bodyOf(
      await stack.call('Passkeys_Rename', { ID: record.ID, Name: 'Phone' }, ada.token),
    );
    assert.deepEqual(Passkey, { ...record, Name: 'Phone' });
    assert.equal(await audited('user.passkey_renamed', ada.id), 1);
    for (let time = 0; time < 2; time++)
      bodyOf(await stack.call('Passkeys_Delete', { ID: record.ID }, ada.token));
    assert.deepEqual(await listOf(ada.token), []);
    assert.equal(await audited('user.passkey_removed', ada.id), 1);
    const mail = await mailTo(stack, ada.email, 3);
    assert.equal(mail.Subject, 'A passkey was removed from your account');
    assertRefused(await stack.call('Passkeys_Rename', renamed, ada.token), 400, 'not_found');
  });

  test('passkeys are added and removed only after a recent sign-in, and never in a limited session', async () => {
    const { id, token } = await signUp(stack);
    const { record } = await addPasskey(stack, token);
    const options = await registrationOptions(stack, token);
    const { credential } = createPasskey(options, originOf(stack));
    const calls: Array<[string, object]> = [
      ['Passkeys_BeginRegistration', {}],
      ['Passkeys_FinishRegistration', { Credential: credential, Name: 'Late' }],
      ['Passkeys_Delete', { ID: record.ID }],
    ];
    await notRecent(id);
    for (const [operation, request] of calls)
      assertRefused(await stack.call(operation, request, token), 403, 'permission_denied', [
        'recent login required',
      ]);
    assert.equal(await passkeysOf(id), 1);

    const limited = await signUp(stack);
    const tenant = createId('tnt');
    const provider = await newIdentity(stack, limited.id, tenant);
    await rowsOf(
      stack,
      'update identity.session set sso_tenant = $2, provider = $3 where user_id = $1',
      [limited.id, tenant, provider],
    );
    for (const [operation, request] of [...calls, ['Passkeys_List', {}] as const])
      assertRefused(await stack.call(operation, request, limited.token), 403, 'permission_denied');
  });

  const refusals: Record<string, { changes: Changes; why: string }> = {
    'another origin': {
      changes: { origin: 'https://evil.example' },
      why: 'it was made for a page of another origin',
    },
    'another RP ID': {
      changes: { rpId: 'evil.example' },
      why: 'it was made for another site (RP ID)',
    },
    'a frame of another site': {
      changes: { crossOrigin: true },
      why: 'it was made in a frame of another site',
    },
    'no user verification': {
      changes: { flags: unverified },
      why: 'the user was not verified',
    },
    'no user presence': { changes: { flags: 4 }, why: 'the user was not present' },
    'an answer to a sign-in': {
      changes: { type: 'webauthn.get' },
      why: 'it answers webauthn.get and not webauthn.create',
    },
    'an attestation that should be empty': {
      changes: { attestation: { alg: -7 } },
      why: 'its attestation is malformed',
    },
    'an attestation of an unknown format': {
      changes: { format: 'made-up' },
      why: 'attestations with certificates are not accepted',
    },
    'an attestation with certificates': {
      changes: {
        format: 'packed',
        attestation: { alg: -7, sig: randomBytes(70), x5c: [randomBytes(300)] },
      },
      why: 'attestations with certificates are not accepted',
    },
  };
  for (const [name, { changes, why }] of Object.entries(refusals))
    test(`Passkeys_FinishRegistration refuses ${name}, audits it and stores nothing`, async () => {
      const { id, token } = await signUp(stack);
      const options = await registrationOptions(stack, token);
      const { credential } = createPasskey(options, originOf(stack), changes);
      assertRefused(await finish(credential, token), 400, 'failed_precondition', [
        `the passkey was not accepted: ${why}`,
      ]);
      assert.equal(await passkeysOf(id), 0);
      assert.equal(await audited('user.passkey_refused', id), 1);
    });

  test('Passkeys_FinishRegistration refuses malformed credentials', async () => {
    const { id, token } = await signUp(stack);
    const options = await registrationOptions(stack, token);
    const { credential } = createPasskey(options, originOf(stack));
    const whole = JSON.parse(credential) as { response: Record<string, unknown> };
    const deep = Buffer.alloc(9000, 0x81).toString('base64url');
    for (const broken of [
      'x',
      'null',
      '[]',
      '{}',
      JSON.stringify({ ...whole, id: '' }),
      JSON.stringify({ ...whole, rawId: 'b3RoZXI' }),
      JSON.stringify({ ...whole, type: 'password' }),
      JSON.stringify({ ...whole, response: 1 }),
      JSON.stringify({ ...whole, response: { ...whole.response, clientDataJSON: 'e30' } }),
      JSON.stringify({ ...whole, response: { ...whole.response, attestationObject: '!' } }),
      JSON.stringify({ ...whole, response: { ...whole.response, attestationObject: 'oA' } }),
      JSON.stringify({ ...whole, response: { ...whole.response, attestationObject: deep } }),
    ]) {
      const answer = await finish(broken, token);
      assertRefused(answer, 400, 'failed_precondition');
      assert.match(answer.body.Messages?.[0] ?? '', /is malformed$/);
    }
    assert.equal(await passkeysOf(id), 0);
    bodyOf(await finish(credential, token));
  });

  test('the options of a registration work once, for ten minutes, and in the session that asked', async () => {
    const [ada, bob] = [await signUp(stack), await signUp(stack)];
    const options = await registrationOptions(stack, ada.token);
    const make = () => createPasskey(options, originOf(stack)).credential;
    const assertDead = async (answer: Promise<Answer>) =>
      assertRefused(await answer, 400, 'failed_precondition', dead);
    await assertDead(finish(make(), bob.token));
    const { challenge: login } = JSON.parse(
      String(bodyOf(await stack.call('Account_BeginPasskeyLogin', {}))['Options']),
    ) as { challenge: string };
    for (const challenge of [login, randomBytes(32).toString('base64url'), 'e30'])
      await assertDead(
        finish(createPasskey(options, originOf(stack), { challenge }).credential, ada.token),
      );
    bodyOf(await finish(make(), ada.token));
    await assertDead(finish(make(), ada.token));
    assert.deepEqual([await passkeysOf(ada.id), await passkeysOf(bob.id)], [1, 0]);
  });

  test('a credential belongs to one user', async () => {
    const [ada, bob] = [await signUp(stack), await signUp(stack)];
    const { passkey } = await addPasskey(stack, ada.token);
    const options = await registrationOptions(stack, bob.token);
    const { credential } = createPasskey(options, originOf(stack), { id: passkey.id });
    assertRefused(await finish(credential, bob.token), 400, 'already_exists', [
      'this passkey is already registered',
    ]);
    assert.equal(await passkeysOf(bob.id), 0);
  });

  test('Passkeys_FinishRegistration called 200 times at once with one challenge stores one passkey', async () => {
    const { id, token } = await signUp(stack);
    const options = await registrationOptions(stack, token);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => {
        const { credential } = createPasskey(options, originOf(stack));
        return retryWhileBusy(() => finish(credential, token));
      }),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', dead);
    assert.equal(await passkeysOf(id), 1);
  });

  test('a user has at most 20 passkeys, also if they are added at once', async () => {
    const { id, token } = await signUp(stack);
    await rowsOf(
      stack,
      `insert into identity.passkey (id, user_id, credential_id, public_key, name, sign_count, backup_eligible, backed_up, transports, aaguid, created_at)
       select 'psk_' || n || $1, $1, 'made-' || n || $1, '', 'Made', 0, false, false, '{}', '', now() from generate_series(1, 18) n`,
      [id],
    );
    // Only a session that used a factor adds another one.
    await rowsOf(
      stack,
      "update identity.session set assurance = 'aal2', further_methods = '{passkey}' where user_id = $1",
      [id],
    );
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const options = await registrationOptions(stack, token);
        return finish(createPasskey(options, originOf(stack)).credential, token);
      }),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 2);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', ['a user has at most 20 passkeys']);
    assert.equal(await passkeysOf(id), 20);
  });

  test('Users_Delete deletes the passkeys of the user', async () => {
    const { id, token } = await signUp(stack);
    await addPasskey(stack, token);
    bodyOf(await stack.call('Users_Delete', { UserID: id }, stack.platformKey));
    assert.equal(await passkeysOf(id), 0);
  });
});
