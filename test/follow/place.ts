import { bodyOf } from '../support/answers.ts';
import { createBot, createKey, type NewKey } from '../support/bots.ts';
import type { Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';

// A tenant with a member who reads reports, and the bot of an application that follows it.

export type Place = Awaited<ReturnType<typeof openPlace>>;

export async function openPlace(stack: Stack) {
  const [owner, user] = await Promise.all([signUp(stack), signUp(stack)]);
  const Tenant = await createTenant(stack, owner.token);
  const call = async (name: string, body: object, token = owner.token) =>
    bodyOf(await stack.call(name, body, token));
  await call('TenantMembers_Add', { Tenant, UserID: user.id }, stack.platformKey);
  const Permissions = ['app.reports.read'];
  await call('Roles_Save', { Role: { Tenant, Slug: 'report-reader', Permissions } });

  const grantOn = (Resource: string) => ({
    Grant: { Tenant, UserID: user.id, Role: 'report-reader', Resource },
  });
  const grant = (resource = '') => call('Grants_Add', grantOn(resource));
  const removeGrant = (resource = '') => call('Grants_Remove', grantOn(resource));

  const bot = await createBot(stack, Tenant, owner.token);
  await call('BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: 'follower' } });
  const key: NewKey = await createKey(stack, bot, owner.token);
  return {
    owner,
    user,
    tenant: Tenant,
    bot,
    key,
    credential: key.Secret,
    call,
    grant,
    removeGrant,
  };
}
