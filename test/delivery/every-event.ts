import assert from 'node:assert/strict';
import { bodyOf, recordIn } from '../support/answers.ts';
import { createBot, createKey, inDays } from '../support/bots.ts';
import type { DnsServer } from '../support/dns-server.ts';
import { claim, own } from '../support/domains.ts';
import { eventually, type Stack } from '../support/harness.ts';
import { addPasskey } from '../support/passkeys.ts';
import { createTenant, login, newAddress, signUp } from '../support/people.ts';
import { addTotp } from '../support/totp.ts';
import { makeEndpoint, type Owner } from './endpoints.ts';

type Person = Awaited<ReturnType<typeof signUp>>;
type Ask = (operation: string, request: object) => Promise<Record<string, unknown>>;

/** Causes every type of event once, except those that need time to pass or a failing receiver. */
export async function changeEverything(owner: Owner, dns: DnsServer): Promise<void> {
  const { stack } = owner;
  const ask: Ask = async (operation, request) =>
    bodyOf(await stack.call(operation, request, owner.token));
  const [guest, other] = [await signUp(stack), await signUp(stack)];
  await changeInvitations(owner, ask, [guest, other]);
  await changeAccess(owner, ask, guest);
  await changeEndpoints(owner, ask);
  await changeSignOn(owner, ask, dns);
  await changeUsers(owner, guest, other);
  await changeMembers(owner, ask, guest);
}

/** The first accepts an invitation, the second declines one. */
async function changeInvitations(
  { stack, tenant: Tenant }: Owner,
  ask: Ask,
  [guest, other]: [Person, Person],
): Promise<void> {
  for (const { email } of [guest, other])
    await ask('TenantInvitations_Create', { Tenant, Email: email });
  const invited = async (token: string, email: string) => {
    const tokens = JSON.stringify(
      await (await fetch(`${stack.inboxUrl}/messages?to=${encodeURIComponent(email)}`)).json(),
    );
    return (
      /bwki_[0-9A-Za-z]{49}/.exec(tokens)?.[0] !== undefined && {
        token,
        invitation: String(/bwki_[0-9A-Za-z]{49}/.exec(tokens)?.[0]),
      }
    );
  };
  const [joins, declines] = [
    await eventually('a mail', () => invited(guest.token, guest.email)),
    await eventually('a mail', () => invited(other.token, other.email)),
  ];
  bodyOf(await stack.call('TenantInvitations_Accept', { Token: joins.invitation }, joins.token));
  bodyOf(await stack.call('TenantInvitations_Decline', { Token: declines.invitation }));
  const Email = newAddress('revoked');
  await ask('TenantInvitations_Create', { Tenant, Email });
  await ask('TenantInvitations_Delete', { Tenant, Email });
}

async function changeAccess(owner: Owner, ask: Ask, guest: Person): Promise<void> {
  const { stack, tenant: Tenant } = owner;
  await ask('Tenants_Update', { Tenant: { ID: Tenant, Name: 'Renamed' } });
  for (const Name of ['a', 'b']) await ask('Groups_Save', { Group: { Tenant, Path: 'eng', Name } });
  for (const Name of ['a', 'b'])
    await ask('Roles_Save', { Role: { Tenant, Slug: 'some', Name, Permissions: ['app.read'] } });
  for (const verb of ['AddMember', 'RemoveMember'])
    await ask(`Groups_${verb}`, { Tenant, Group: 'eng', UserID: guest.id });
  const bot = await createBot(stack, Tenant, owner.token);
  await ask('Bots_Save', { Bot: { ID: bot.ID, Tenant, Name: 'renamed' } });
  const grants = {
    Grants: { UserID: guest.id },
    GroupGrants: { Group: 'eng' },
    BotGrants: { Bot: bot.ID },
  };
  for (const verb of ['Add', 'Remove'])
    for (const [area, subject] of Object.entries(grants))
      await ask(`${area}_${verb}`, { Grant: { Tenant, Role: 'some', ...subject } });
  const { Key } = await createKey(stack, bot, owner.token);
  await ask('BotKeys_SetExpiration', { Tenant, ID: Key.ID, ExpiresAt: inDays(10) });
  await ask('BotKeys_Rotate', { Tenant, ID: Key.ID });
  const trust = {
    Tenant,
    Bot: bot.ID,
    Issuer: 'https://token.example.com',
    Audience: 'events',
    Subject: 'job',
  };
  const { Trust } = await ask('BotTrusts_Save', { Trust: trust });
  const { ID } = Trust as { ID: string };
  await ask('BotTrusts_Save', { Trust: { ...trust, ID, Subject: 'job:*' } });
  await ask('BotTrusts_Delete', { Tenant, ID });
  await ask('Bots_Delete', { Tenant, ID: bot.ID });
  await ask('Groups_Delete', { Tenant, Path: 'eng' });
  await ask('Roles_Delete', { Tenant, Slug: 'some' });
}

async function changeEndpoints(owner: Owner, ask: Ask): Promise<void> {
  const { stack, tenant: Tenant } = owner;
  const endpoint = await makeEndpoint(owner, 'changed');
  await ask('Webhooks_UpdateEndpoint', {
    Endpoint: {
      ID: endpoint.id,
      Tenant,
      Name: 'renamed',
      URL: `${stack.inboxUrl}/hooks/changed`,
    },
  });
  await ask('Webhooks_RotateSecret', { Tenant, ID: endpoint.id });
  await ask('Webhooks_DeleteEndpoint', { Tenant, ID: endpoint.id });
  const chat = bodyOf(
    await stack.call(
      'Chat_CreateEndpoint',
      { Endpoint: { Tenant, Name: 'chat' }, URL: `${stack.inboxUrl}/hooks/chat` },
      owner.token,
    ),
  )['Endpoint'] as { ID: string };
  await ask('Chat_UpdateEndpoint', { Endpoint: { ID: chat.ID, Tenant, Name: 'renamed' } });
  await ask('Chat_DeleteEndpoint', { Tenant, ID: chat.ID });
}

async function changeSignOn(owner: Owner, ask: Ask, dns: DnsServer): Promise<void> {
  const { stack, tenant: Tenant } = owner;
  const [domain, unproved] = [
    await own(stack, dns, Tenant, owner.token),
    await claim(stack, Tenant, owner.token),
  ];
  await ask('Domain_Verify', { Tenant, ID: unproved.ID });
  const provider = {
    Tenant,
    Kind: 'oidc',
    Name: 'Staff',
    Issuer: `${stack.inboxUrl}/hooks/no-provider`,
    ClientID: 'a',
    TokenAuthMethod: 'none',
  };
  const { ID } = recordIn(
    await stack.call('Sso_SaveProvider', { Provider: provider }, owner.token),
    'Provider',
  ) as { ID: string };
  await ask('Sso_SaveProvider', { Provider: { Tenant, ID, Name: 'Renamed' } });
  await confirmChange(owner, ask, ID);
  assert.equal((await fetch(`${stack.url}/auth/${Tenant}/${ID}/login`)).status, 403);
  await ask('Domain_Update', { Tenant, ID: domain.ID, Capture: 'require_sso' });
  await ask('Domain_Delete', { Tenant, ID: domain.ID });
  await ask('Sso_DeleteProvider', { Tenant, ID });
  await changeApps(Tenant, ask);
  await ask('Sso_CreateRecoveryCodes', { Tenant });
  for (const Minutes of [1, 0])
    bodyOf(await stack.call('Sso_LiftRequirement', { Tenant, Minutes }, stack.platformKey));
}

/** An administrator changes whom a provider identifies, and an owner confirms it. */
async function confirmChange({ stack, tenant, token }: Owner, ask: Ask, ID: string) {
  const bot = await createBot(stack, tenant, token);
  const Grant = { Tenant: tenant, Bot: bot.ID, Role: 'admin' };
  bodyOf(await stack.call('BotGrants_Add', { Grant }, token));
  const { Secret } = await createKey(stack, bot, token);
  const Provider = { Tenant: tenant, ID, Name: 'Renamed', AttributeMap: { Name: 'nick' } };
  const { UpdatedAt: IfUpdatedAt } = recordIn(
    await stack.call('Sso_SaveProvider', { Provider }, Secret),
    'Provider',
  ) as { UpdatedAt: string };
  await ask('Sso_ConfirmProvider', { Tenant: tenant, ID, IfUpdatedAt });
}

async function changeApps(Tenant: string, ask: Ask): Promise<void> {
  const { App } = await ask('Apps_Save', { App: { Tenant, Kind: 'service', Name: 'Nightly' } });
  const { ID } = App as { ID: string };
  await ask('Apps_Save', { App: { Tenant, ID, Name: 'Renamed' } });
  await ask('Apps_RotateSecret', { Tenant, ID });
  await ask('Apps_Delete', { Tenant, ID });
}

async function changeUsers({ stack }: Owner, guest: Person, other: Person): Promise<void> {
  bodyOf(await stack.call('Account_Update', { User: { GivenName: 'Ada' } }, guest.token));
  bodyOf(
    await stack.call(
      'Account_ChangePassword',
      { Current: 'correct horse battery', Password: 'staple the next horse' },
      other.token,
    ),
  );
  await changeFactors(stack, other, 'staple the next horse');
  await support(stack, guest);
  for (const verb of ['Disable', 'Enable', 'Delete'])
    bodyOf(await stack.call(`Users_${verb}`, { UserID: other.id }, stack.platformKey));
}

/** An operator of the platform acts as a member. */
async function support(stack: Stack, member: Person): Promise<void> {
  const { id: UserID, token } = await signUp(stack);
  const Grant = { Platform: true, UserID, Role: 'platform-owner' };
  bodyOf(await stack.call('Grants_Add', { Grant }, stack.platformKey));
  bodyOf(await stack.call('Support_Start', { UserID: member.id, Reason: 'Ticket' }, token));
  bodyOf(await stack.call('Support_End', {}, token));
}

async function changeFactors(stack: Stack, user: Person, secret: string): Promise<void> {
  const { id } = await addTotp(stack, user.token);
  const { Codes } = bodyOf(await stack.call('RecoveryCodes_Generate', {}, user.token)) as {
    Codes: string[];
  };
  const { Challenge } = bodyOf(await login(stack, user.email, secret));
  bodyOf(await stack.call('Account_CompleteLogin', { Challenge, RecoveryCode: Codes[0] }));
  const { Challenge: challenge } = bodyOf(await stack.call('Account_BeginStepUp', {}, user.token));
  const answer = { Challenge: challenge, RecoveryCode: Codes[1] };
  bodyOf(await stack.call('Account_CompleteStepUp', answer, user.token));
  const { record } = await addPasskey(stack, user.token);
  bodyOf(await stack.call('Passkeys_Delete', { ID: record.ID }, user.token));
  bodyOf(await stack.call('Factors_Remove', { ID: id }, user.token));
  await addTotp(stack, user.token);
  bodyOf(await stack.call('Users_ResetFactors', { UserID: user.id }, stack.platformKey));
}

async function changeMembers(owner: Owner, ask: Ask, guest: Person): Promise<void> {
  const { stack, tenant: Tenant } = owner;
  for (const verb of ['Disable', 'Enable', 'Remove'])
    await ask(`TenantMembers_${verb}`, { Tenant, UserID: guest.id });
  const [declining, waiting] = [await signUp(stack), await signUp(stack)];
  for (const { id } of [declining, waiting]) await ask('TenantMembers_Add', { Tenant, UserID: id });
  bodyOf(await stack.call('TenantMembers_Decline', { Tenant }, declining.token));
  await ask('TenantMembers_Remove', { Tenant, UserID: waiting.id });
  const chief = await signUp(stack);
  bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: chief.id }, stack.platformKey));
  await ask('Grants_Add', { Grant: { Tenant, UserID: chief.id, Role: 'owner' } });
  bodyOf(await stack.call('TenantMembers_Accept', { Tenant }, chief.token));
  const spare = await createTenant(stack, owner.token);
  await ask('Tenants_Delete', { Tenant: spare });
}
