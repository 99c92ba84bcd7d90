import { bodyOf } from '../support/answers.ts';
import { eventually, type Stack } from '../support/harness.ts';
import { login, password } from '../support/people.ts';

// The company that the pictures show.

/** `owner` is an address, with the password of the tests; `editor` the ID of a user who may delete reports. */
export type Company = {
  slug: string;
  owner: string;
  editor: string;
  failing: { endpoint: string; message: string };
};

const slug = 'acme-instruments';
const addressOf = (name: string) => `${name.toLowerCase().replace(/ .*/, '')}@acme.example`;
const owner = 'Ada Lovelace';
const editor = 'Grace Hopper';
const people = [
  { name: owner, groups: ['engineering'] },
  { name: editor, groups: ['engineering/platform'] },
  { name: 'Katherine Johnson', groups: ['engineering/platform'] },
  { name: 'Alan Turing', groups: ['engineering/security'] },
  { name: 'Mary Somerville', groups: ['support'] },
  { name: 'Emmy Noether', groups: ['support'] },
];
const groups = [
  { Path: 'engineering', Name: 'Engineering' },
  { Path: 'engineering/platform', Name: 'Platform' },
  { Path: 'engineering/security', Name: 'Security' },
  { Path: 'support', Name: 'Support' },
];
const roles = [
  { Slug: 'report-editor', Permissions: ['app.reports.*'] },
  { Slug: 'report-reader', Permissions: ['app.reports.read'] },
];

/** Creates the company through the API, with an endpoint that fails. */
export async function createCompany(stack: Stack): Promise<Company> {
  const call = async (operation: string, body: object, token = stack.platformKey) =>
    bodyOf(await stack.call(operation, body, token));
  const ids = new Map<string, string>();
  for (const { name } of people) {
    const User = { Email: addressOf(name), Name: name };
    const { User: created } = await call('Users_Create', { User, Password: password });
    ids.set(name, (created as { ID: string }).ID);
  }
  const created = await call('Tenants_Create', {
    Tenant: { Name: 'Acme Instruments', Slug: slug },
    OwnerID: ids.get(owner),
  });
  const { ID: Tenant } = created['Tenant'] as { ID: string };
  const { body } = await login(stack, addressOf(owner));
  const token = String(body['Token']);
  for (const Group of groups) await call('Groups_Save', { Group: { Tenant, ...Group } }, token);
  for (const { name, groups: paths } of people) {
    const UserID = ids.get(name);
    if (name !== owner) await call('TenantMembers_Add', { Tenant, UserID });
    for (const Path of paths)
      await call('Groups_AddMember', { Tenant, Group: Path, UserID }, token);
  }
  for (const Role of roles) await call('Roles_Save', { Role: { Tenant, ...Role } }, token);
  for (const [Group, Role] of [
    ['engineering', 'report-editor'],
    ['support', 'report-reader'],
  ])
    await call('GroupGrants_Add', { Grant: { Tenant, Group, Role } }, token);
  const invited = { Tenant, Email: 'rosalind@acme.example', Roles: ['report-reader'] };
  await call('TenantInvitations_Create', invited, token);
  await call('Bots_Save', { Bot: { Tenant, Name: 'Deployments' } }, token);
  const App = {
    Tenant,
    Name: 'Grafana',
    Kind: 'web',
    RedirectURIs: ['https://metrics.acme.example/login/generic_oauth'],
  };
  await call('Apps_Save', { App }, token);
  const failing = await deliver(stack, Tenant, token);
  return { slug, owner: addressOf(owner), editor: ids.get(editor) ?? '', failing };
}

/** Sends the events of new groups to an endpoint that accepts them and to one that fails. */
async function deliver(stack: Stack, Tenant: string, token: string): Promise<Company['failing']> {
  const add = async (Name: string, path: string) => {
    const Endpoint = { Tenant, Name, URL: `${stack.inboxUrl}${path}`, EventTypes: ['group.*'] };
    const answer = await stack.call('Webhooks_CreateEndpoint', { Endpoint }, token);
    return (bodyOf(answer)['Endpoint'] as { ID: string }).ID;
  };
  await add('Search index', '/hooks/search');
  const endpoint = await add('Billing', '/hooks/billing?status=503');
  const Group = { Tenant, Path: 'finance', Name: 'Finance' };
  bodyOf(await stack.call('Groups_Save', { Group }, token));
  const message = await eventually('a failed delivery', async () => {
    const answer = await stack.call('Webhooks_ListAttempts', { Tenant, Endpoint: endpoint }, token);
    const { Items } = bodyOf(answer)['Page'] as { Items: Array<{ Event: string }> };
    return Items[0]?.Event;
  });
  return { endpoint, message };
}
