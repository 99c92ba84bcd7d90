import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createId, tokenHash, tokenKind } from '@bailiwick/contract';
import { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { asService, createCallerSigner, createHttpTransport } from '@bailiwick/wire';
import { createClient } from '@connectrpc/connect';
import { bodyOf, readList } from '../../support/answers.ts';
import { newAssertion, opening, refusedWith } from '../../support/federation.ts';
import { eventually } from '../../support/harness.ts';
import { createTenant } from '../../support/people.ts';
import { appOrigin, sharedStack } from '../../support/shared.ts';
import { countOf, dumpOf, eventsOf, textBelow } from '../../support/store.ts';
import { shortGrace } from '../access/membership-calls.ts';
import { type Federation, startFederation } from '../identity/federation-calls.ts';

type Session = { ID: string; AuthMethod: string; Provider: string; IP: string; UserAgent: string };

// Sessions that begin and end with a provider.
describe('federation: sessions', () => {
  let suite: Federation;
  before(async () => {
    suite = await startFederation(await sharedStack('five processes', shortGrace));
  });
  after(() => suite?.stop());

  test('OpenSession opens a session that records its provider and client', async () => {
    const { stack, newGuest, get } = suite;
    const { id, email, assertion, open } = await newGuest();
    const token = await open();
    assert.equal(tokenKind(token), 'session');
    assert.equal((bodyOf(await get(token))['User'] as { ID: string }).ID, id);
    const [session] = (await readList<Session>(stack, 'Sessions_List', {}, token)).items;
    assert.deepEqual(
      [session?.AuthMethod, session?.Provider, session?.IP, session?.UserAgent],
      ['oidc', assertion.provider, '192.0.2.7', 'A browser'],
    );
    const events = (await eventsOf(stack, 'identity', '')).filter(
      ({ data }) => data['Email'] === email,
    );
    assert.deepEqual(
      events.map(({ type, actor }) => [type, actor]),
      [
        ['user.registered', { type: 'system', id: 'sso' }],
        ['user.signed_in', { type: 'user', id }],
      ],
    );
    for (const { data } of events)
      assert.deepEqual(
        [data['LastLoginAt'], data['HasPassword']],
        [undefined, false],
        'receivers of events need not manage users',
      );
    assert.equal(
      await countOf(
        stack,
        `identity.outbox where type = 'user.signed_in' and audit like '%"CredentialID":"' || $1 || '"%' and audit like '%192.0.2.7%'`,
        [session?.ID],
      ),
      1,
    );
  });

  test('Credentials_Resolve returns the tenant through which a session came to the gateway', async () => {
    const { stack, owner, tenant, newGuest } = suite;
    const { open } = await newGuest();
    const sign = createCallerSigner(
      'gateway',
      readFileSync(stack.wiring.secrets.callerKeyFile('gateway'), 'utf8'),
    );
    const transport = createHttpTransport({
      url: `http://127.0.0.1:${stack.wiring.ports.identity.rpc}`,
      audience: 'identity',
      sign,
    });
    const credentials = createClient(Credentials, asService(transport, 'gateway'));
    const tenantOf = async (token: string) =>
      (await credentials.resolve({ tokenHash: tokenHash(token) })).ssoTenant;
    assert.deepEqual([await tenantOf(await open()), await tenantOf(owner.token)], [tenant, '']);
    await transport.close();
  });

  test('OpenSession refuses a user who was disabled, deleted or unlinked since Admit', async () => {
    const { stack, federation, newGuest, countsOf } = suite;
    const [disabled, deleted, unlinked] = [await newGuest(), await newGuest(), await newGuest()];
    bodyOf(await stack.call('Users_Disable', { UserID: disabled.id }, stack.platformKey));
    bodyOf(await stack.call('Users_Delete', { UserID: deleted.id }, stack.platformKey));
    bodyOf(
      await stack.call(
        'Users_RemoveIdentity',
        { UserID: unlinked.id, Provider: unlinked.assertion.provider },
        stack.platformKey,
      ),
    );
    for (const origin of ['', appOrigin]) {
      for (const guest of [disabled, deleted])
        await refusedWith(guest.open(origin), 'ACCOUNT_DISABLED');
      await refusedWith(unlinked.open(origin), 'PROVIDER_INACTIVE');
    }
    const other = await newGuest();
    await refusedWith(
      federation.openSession({ ...opening(other.assertion, other.id), tenant: createId('tnt') }),
      'PROVIDER_INACTIVE',
    );
    await refusedWith(
      federation.openSession({ ...opening(other.assertion, other.id), provider: createId('sso') }),
      'PROVIDER_INACTIVE',
    );
    assert.deepEqual(await countsOf(other.id), [1, 0, 0]);
  });

  test('ForgetProvider ends the sessions and codes of a provider with its reply, and no others', async () => {
    const { federation, tenant, newGuest, countsOf, get, assertDeadCode } = suite;
    const [guest, neighbour] = [await newGuest(), await newGuest()];
    const [token, code] = [await guest.open(), await guest.open(appOrigin)];
    const other = await newGuest(newAssertion(tenant, { email: guest.email }));
    const [unaffected, foreign] = [await other.open(), await neighbour.open()];
    for (const live of [token, unaffected, foreign]) assert.equal((await get(live)).status, 200);
    await federation.forgetProvider({
      tenant: createId('tnt'),
      provider: guest.assertion.provider,
    });
    assert.equal((await get(token)).status, 200, 'another tenant has no such provider');
    const { provider } = guest.assertion;
    await federation.forgetProvider({ tenant, provider });
    assert.equal((await get(token)).status, 401);
    await assertDeadCode(code);
    for (const live of [unaffected, foreign]) assert.equal((await get(live)).status, 200);
    assert.deepEqual(await countsOf(guest.id), [1, 0, 1]);
    await refusedWith(guest.open(), 'PROVIDER_INACTIVE');
    for (const missing of [
      { tenant, provider: '' },
      { tenant: '', provider },
      { tenant: '', provider: '' },
    ])
      await federation.forgetProvider(missing);
    assert.equal((await get(unaffected)).status, 200);
  });

  test('Users_RemoveIdentity ends the sessions and codes of that provider with its reply', async () => {
    const { stack, tenant, newGuest, get, assertDeadCode } = suite;
    const guest = await newGuest();
    const other = await newGuest(newAssertion(tenant, { email: guest.email }));
    const [token, code, unaffected] = [
      await guest.open(),
      await guest.open(appOrigin),
      await other.open(),
    ];
    for (const live of [token, unaffected]) assert.equal((await get(live)).status, 200);
    bodyOf(
      await stack.call(
        'Users_RemoveIdentity',
        { UserID: guest.id, Provider: guest.assertion.provider },
        unaffected,
      ),
    );
    assert.equal((await get(token)).status, 401);
    await assertDeadCode(code);
    assert.equal((await get(unaffected)).status, 200);
  });

  test('deleting an account or a tenant deletes its links, codes and sessions from providers', async () => {
    const { stack, owner, newGuest, countsOf, get, assertDeadCode } = suite;
    const deleted = await newGuest();
    const code = await deleted.open(appOrigin);
    await deleted.open();
    bodyOf(await stack.call('Users_Delete', { UserID: deleted.id }, stack.platformKey));
    assert.deepEqual(await countsOf(deleted.id), [0, 0, 0]);
    await assertDeadCode(code);

    const going = await createTenant(stack, owner.token);
    const member = await newGuest(newAssertion(going));
    const [token, unaffected] = [await member.open(), await (await newGuest()).open()];
    await member.open(appOrigin);
    bodyOf(await stack.call('Tenants_Delete', { Tenant: going }, owner.token));
    await eventually('the tenant’s identities to be gone', async () =>
      (await countsOf(member.id)).every((count) => count === 0),
    );
    await eventually('the end of the session', async () => (await get(token)).status === 401);
    assert.equal((await get(unaffected)).status, 200);
  });

  test('concurrent calls leave no link without a user and no session of a disabled or unlinked user', async () => {
    const { stack, federation, newGuest, exchange } = suite;
    const ids: string[] = [];
    for (let round = 0; round < 12; round++) {
      const { id, assertion, open } = await newGuest();
      ids.push(id);
      const code = await open(appOrigin);
      const end = [
        () => stack.call('Users_Delete', { UserID: id }, stack.platformKey),
        () => stack.call('Users_Disable', { UserID: id }, stack.platformKey),
        () => federation.forgetProvider({ tenant: assertion.tenant, provider: assertion.provider }),
      ][round % 3];
      const outcomes = await Promise.allSettled([
        open(),
        federation.admit(assertion),
        end?.(),
        exchange(code),
        open(appOrigin),
        federation.admit({ ...assertion, jit: false }),
      ]);
      // The calls may be denied; a deadlock would be another error.
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          assert.match(String(outcome.reason), /permission_denied/);
    }
    const [orphans, shutOut, unlinked] = await Promise.all([
      countOf(
        stack,
        'identity.identity_link l left join identity.user_account u on u.id = l.user_id where u.id is null and l.user_id = any($1)',
        [ids],
      ),
      countOf(
        stack,
        `identity.session s left join identity.user_account u on u.id = s.user_id and u.status = 'active' where u.id is null and s.user_id = any($1)`,
        [ids],
      ),
      countOf(
        stack,
        `identity.session s left join identity.identity_link l on l.tenant = s.sso_tenant and l.provider = s.provider and l.user_id = s.user_id
         where s.sso_tenant <> '' and l.user_id is null and s.user_id = any($1)`,
        [ids],
      ),
    ]);
    assert.deepEqual({ orphans, shutOut, unlinked }, { orphans: 0, shutOut: 0, unlinked: 0 });
  });

  test('codes and tokens are not readable in the database, the logs or the broker', async () => {
    const { stack, newGuest, exchange } = suite;
    const { id, open } = await newGuest();
    const [token, code, used] = [
      await open(),
      await open(appOrigin),
      await open('https://other.example.com'),
    ];
    const exchanged = String(bodyOf(await exchange(used))['Token']);
    await eventually('the event in the broker', async () =>
      textBelow(path.join(stack.folder, 'nats')).includes(id),
    );
    const places = {
      database: await dumpOf(stack, 'identity'),
      logs: textBelow(path.join(stack.folder, 'logs')),
      broker: textBelow(path.join(stack.folder, 'nats')),
    };
    assert.ok(
      places.database.includes(Buffer.from(tokenHash(code)).toString('hex')) &&
        places.logs.includes('Account_ExchangeCode'),
      'the places are searched',
    );
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [token, code, used, exchanged])
        assert.ok(
          !text.includes(secret) && !text.includes(secret.slice(8, 40)),
          `the ${place} contains a secret`,
        );
    }
  });
});
