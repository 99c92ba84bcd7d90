import { Buffer } from 'node:buffer';
import type { DemoClock } from './clock.ts';
import {
  addressOf,
  cast,
  company,
  demoPassword,
  domain,
  founders,
  groupGrants,
  groups,
  joiners,
  roles,
} from './company.ts';
import { createDice, type Dice } from './dice.ts';
import type { Body, Caller, World } from './world.ts';

// The acts of the demo: a company moves in 30 days ago, grows, and breaks a webhook two days
// ago. Each act is a call at its time; the same calls are made in every filling.

export const historyDays = 30;

const dayMs = 24 * 60 * 60_000;
const hourMs = 60 * 60_000;
const minuteMs = 60_000;

type Act = { at: Date; run: () => Promise<unknown> };
/** The state that later acts read. */
type Stage = {
  world: World;
  dice: Dice;
  present: Date;
  tenant: string;
  ids: Map<string, string>;
  /** The names of the members. */
  members: string[];
  endpoints: Map<string, string>;
  publisher: Caller;
};

export async function tellStory(world: World, clock: DemoClock, present: Date): Promise<void> {
  const stage: Stage = {
    world,
    dice: createDice(),
    present,
    tenant: '',
    ids: new Map(),
    members: [],
    endpoints: new Map(),
    publisher: world.platform,
  };
  await moveIn(stage);
  const acts = [...chapters(stage), ...routine(stage)].sort(
    (one, other) => one.at.getTime() - other.at.getTime(),
  );
  for (const { at, run } of acts) {
    await clock.moveTo(at);
    await run();
    await world.settle();
  }
  await clock.moveTo(present);
}

/** A time of a day; day 0 is today. */
function timeOf({ present }: Stage, day: number, hour: number): Date {
  const midnight = Math.floor(present.getTime() / dayMs) * dayMs;
  return new Date(midnight - day * dayMs + hour * hourMs);
}

const isWorkday = (moment: Date): boolean => ![0, 6].includes(moment.getUTCDay());

/** The first day: the company, its first people, groups and roles. */
async function moveIn(stage: Stage): Promise<void> {
  const { world, ids } = stage;
  await createUser(stage, cast.operator);
  const operator = { UserID: ids.get(cast.operator), Role: 'platform-owner', Platform: true };
  await world.call('Grants_Add', { Grant: operator });
  await Promise.all(founders.map(([name]) => createUser(stage, name)));
  const created = await world.call('Tenants_Create', {
    Tenant: company,
    OwnerID: ids.get(cast.owner),
  });
  stage.tenant = idOf(created, 'Tenant');
  const Tenant = stage.tenant;
  const owner = await world.signIn(cast.owner);
  await world.call('TenantMembers_Accept', { Tenant }, owner);
  stage.members.push(cast.owner);
  for (const Group of groups)
    await world.call('Groups_Save', { Group: { Tenant, ...Group } }, owner);
  for (const Role of roles) await world.call('Roles_Save', { Role: { Tenant, ...Role } }, owner);
  for (const [Group, Role] of groupGrants)
    await world.call('GroupGrants_Add', { Grant: { Tenant, Group, Role } }, owner);
  for (const [name, group] of founders) await addFounder(stage, owner, name, group);
  for (const [name, Role] of [
    [cast.administrator, 'admin'],
    [cast.auditor, 'auditor'],
  ] as const)
    await world.call('Grants_Add', { Grant: { Tenant, UserID: ids.get(name), Role } }, owner);
  await world.settle();
}

async function createUser({ world, ids }: Stage, name: string): Promise<void> {
  const [GivenName = '', ...rest] = name.split(' ');
  const User = { Email: addressOf(name), Name: name, GivenName, FamilyName: rest.join(' ') };
  ids.set(name, idOf(await world.call('Users_Create', { User, Password: demoPassword }), 'User'));
}

async function addFounder(stage: Stage, owner: Caller, name: string, Group: string): Promise<void> {
  const { world, tenant: Tenant, ids, members } = stage;
  const UserID = ids.get(name);
  if (name !== cast.owner) {
    await world.call('TenantMembers_Add', { Tenant, UserID });
    const session = await world.signIn(name);
    await world.call('TenantMembers_Accept', { Tenant }, session);
    members.push(name);
  }
  await world.call('Groups_AddMember', { Tenant, Group, UserID }, owner);
}

/** An act of a person who signs in for it. */
const actOf =
  ({ world }: Stage, name: string, act: (caller: Caller) => Promise<unknown>) =>
  async () =>
    act(await world.signIn(name));

/** The acts that happen once. */
function chapters(stage: Stage): Act[] {
  const { world, ids } = stage;
  const by = (name: string, act: (Tenant: string, caller: Caller) => Promise<unknown>) =>
    actOf(stage, name, (caller) => act(stage.tenant, caller));
  const call = (name: string, operation: string, body: (Tenant: string) => Body) =>
    by(name, (Tenant, caller) => world.call(operation, body(Tenant), caller));
  const { owner, administrator, member } = cast;
  const plans: Array<[day: number, hour: number, run: () => Promise<unknown>]> = [
    [29, 9, by(administrator, (Tenant, caller) => saveApps(stage, Tenant, caller))],
    [28, 10, by(administrator, (Tenant, caller) => addEndpoint(stage, Tenant, caller, search))],
    [27, 14, by(administrator, (Tenant, caller) => addBots(stage, Tenant, caller))],
    [21, 11, by(administrator, (Tenant, caller) => addEndpoint(stage, Tenant, caller, billing))],
    [19, 15, call(owner, 'Grants_Add', (Tenant) => ({ Grant: contract(stage, Tenant) }))],
    [
      13,
      12,
      () => world.call('Tenants_Create', { Tenant: customer, OwnerID: ids.get('Lise Meitner') }),
    ],
    [12, 13, call(administrator, 'Groups_RemoveMember', (Tenant) => leave(ids, Tenant))],
    [9, 16, call(owner, 'TenantMembers_Disable', (Tenant) => someone(ids, Tenant))],
    [8, 9, call(administrator, 'Roles_Save', (Tenant) => ({ Role: { Tenant, ...widened } }))],
    [6, 11, invite(stage, administrator, 'Jean Purdy', 'support/field-service')],
    [4, 10, call(owner, 'Domain_Create', (Tenant) => ({ Tenant, Name: domain }))],
    [3, 15, invite(stage, administrator, 'Klara von Neumann', 'research/algorithms')],
    [2, 8, by(administrator, (Tenant, caller) => moveBilling(stage, Tenant, caller))],
    [1, 10, invite(stage, owner, 'Grete Hermann', 'research')],
    [1, 14, refusal(stage, member, 'Roles_Save', (Tenant) => ({ Role: { Tenant, ...widened } }))],
  ];
  return plans.map(([day, hour, run]) => ({ at: timeOf(stage, day, hour), run }));
}

const search = { Name: 'Search index', path: 'search', EventTypes: ['group.*', 'report.*'] };
const billing = { Name: 'Billing', path: 'billing', EventTypes: ['report.*', 'grant.*'] };

async function addEndpoint(
  { world, endpoints }: Stage,
  Tenant: string,
  caller: Caller,
  { Name, path, EventTypes }: typeof search,
): Promise<void> {
  const Endpoint = { Tenant, Name, URL: `${world.inbox}/hooks/${path}`, EventTypes };
  endpoints.set(
    Name,
    idOf(await world.call('Webhooks_CreateEndpoint', { Endpoint }, caller), 'Endpoint'),
  );
}

/** The receiver moves, and its new address answers 503 from then on. */
async function moveBilling(
  { world, endpoints }: Stage,
  Tenant: string,
  caller: Caller,
): Promise<void> {
  const URL = `${world.inbox}/hooks/billing-v2?status=503`;
  const { Name, EventTypes } = billing;
  const Endpoint = { Tenant, ID: endpoints.get(Name), Name, URL, EventTypes };
  await world.call('Webhooks_UpdateEndpoint', { Endpoint }, caller);
}

async function saveApps({ world }: Stage, Tenant: string, caller: Caller): Promise<void> {
  const apps = [
    { Name: 'Grafana', Kind: 'web', path: 'metrics.acme.example/login/generic_oauth' },
    { Name: 'Instrument Shop', Kind: 'web', path: 'shop.acme.example/callback' },
    { Name: 'Report Viewer', Kind: 'spa', path: 'reports.acme.example/signed-in' },
  ];
  for (const { Name, Kind, path } of apps) {
    const App = { Tenant, Name, Kind, RedirectURIs: [`https://${path}`] };
    await world.call('Apps_Save', { App }, caller);
  }
  await world.call('Apps_Save', { App: { Tenant, Name: 'Bench Display', Kind: 'device' } }, caller);
}

async function addBots(stage: Stage, Tenant: string, caller: Caller): Promise<void> {
  const { world, present } = stage;
  const addBot = async (Name: string, Role: string, days: number) => {
    const Bot = idOf(await world.call('Bots_Save', { Bot: { Tenant, Name } }, caller), 'Bot');
    await world.call('BotGrants_Add', { Grant: { Tenant, Bot, Role } }, caller);
    const ExpiresAt = new Date(present.getTime() + days * dayMs).toISOString();
    const key = { Tenant, Bot, Name: 'production', ExpiresAt };
    return String((await world.call('BotKeys_Create', key, caller))['Secret']);
  };
  await addBot('Deployments', 'report-reader', 9);
  const token = await addBot('Report service', 'admin', 200);
  stage.publisher = { token, ip: '203.0.113.20', userAgent: 'report-service/4.2' };
}

const contract = ({ ids, present }: Stage, Tenant: string) => ({
  Tenant,
  UserID: ids.get('Niklaus Wirth'),
  Role: 'device-operator',
  Resource: 'site/zurich',
  ExpiresAt: new Date(present.getTime() + 20 * dayMs).toISOString(),
});
/** Another customer of the platform. */
const customer = { Name: 'Globex Logistics', Slug: 'globex' };
const leave = (ids: Stage['ids'], Tenant: string) => ({
  Tenant,
  Group: 'engineering/web/shop',
  UserID: ids.get('Niklaus Wirth'),
});
const someone = (ids: Stage['ids'], Tenant: string) => ({
  Tenant,
  UserID: ids.get('Beatrice Shilling'),
});
const widened = {
  Slug: 'report-reader',
  Name: 'Report reader',
  Description: 'Reads reports and comments on them.',
  Permissions: ['app.reports.read', 'app.reports.comment'],
};

const invite = (stage: Stage, inviter: string, name: string, group: string) =>
  actOf(stage, inviter, (caller) => {
    const invitation = {
      Tenant: stage.tenant,
      Email: addressOf(name),
      Roles: ['report-reader'],
      Groups: [group],
    };
    return stage.world.call('TenantInvitations_Create', invitation, caller);
  });

const refusal = (stage: Stage, name: string, operation: string, body: (Tenant: string) => Body) =>
  actOf(stage, name, (caller) => stage.world.refused(operation, body(stage.tenant), caller));

/**
 * The acts of every day: people sign in, join, and try what they may not do, and a bot publishes
 * reports.
 */
function routine(stage: Stage): Act[] {
  const { dice } = stage;
  const waiting = [...joiners];
  const acts: Act[] = [];
  for (let day = historyDays - 1; day >= 0; day -= 1) {
    const noon = timeOf(stage, day, 12);
    const isBusy = isWorkday(noon);
    const at = () => timeOf(stage, day, 7 + 11 * dice.next());
    // A sign-in hashes a password, which is most of the time that the demo takes.
    for (let count = dice.between(isBusy ? [3, 6] : [1, 2]); count > 0; count -= 1)
      acts.push({ at: at(), run: () => comeAndGo(stage) });
    for (let count = dice.between(isBusy ? [3, 7] : [0, 2]); count > 0; count -= 1)
      acts.push({ at: at(), run: () => publish(stage) });
    if (isBusy && dice.next() < 0.6) acts.push({ at: at(), run: () => tryForbidden(stage) });
    if (!isBusy || day === 0) continue;
    for (const [name, group] of waiting.splice(0, dice.between([1, 3])))
      acts.push({ at: at(), run: () => join(stage, name, group) });
  }
  // A little before now, so that the last day has something in every hour of the day.
  for (const minutes of [50, 35, 20, 6])
    acts.push({
      at: new Date(stage.present.getTime() - minutes * minuteMs),
      run: () => publish(stage),
    });
  return acts.filter(({ at }) => at.getTime() <= stage.present.getTime() - 5 * minuteMs);
}

async function comeAndGo({ world, dice, members }: Stage): Promise<void> {
  const session = await world.signIn(dice.pick(members), dice.next() < 0.15 ? 120 : 0);
  if (dice.next() < 0.6) await world.call('Account_Logout', {}, session);
}

/** Most reports are finished. */
const finished = ['report.finished', 'report.finished', 'report.finished', 'report.finished'];

async function publish({ world, dice, tenant: Tenant, publisher }: Stage): Promise<void> {
  if (publisher === world.platform) return; // The bot does not exist yet.
  const Type = dice.pick([...finished, 'report.shared', 'report.failed']);
  const report = { report: `rep-${dice.between([1000, 9999])}`, pages: dice.between([2, 40]) };
  const Body = Buffer.from(JSON.stringify(report)).toString('base64');
  await world.call('Events_Publish', { Tenant, Type, Body }, publisher);
}

async function tryForbidden(stage: Stage): Promise<void> {
  const { world, dice, tenant: Tenant, members } = stage;
  const name = dice.pick(members.filter((one) => one !== cast.owner && one !== cast.administrator));
  const session = await world.signIn(name);
  const Group = { Tenant, Path: 'finance/payroll', Name: 'Payroll' };
  for (let count = dice.between([1, 4]); count > 0; count -= 1)
    await world.refused('Groups_Save', { Group }, session);
  await world.call('Account_Logout', {}, session);
}

/** A person accepts an invitation. */
async function join(stage: Stage, name: string, group: string): Promise<void> {
  const { world, tenant: Tenant, members } = stage;
  await createUser(stage, name);
  const inviter = await world.signIn(cast.owner);
  const invitation = { Tenant, Email: addressOf(name), Roles: [], Groups: [group] };
  await world.call('TenantInvitations_Create', invitation, inviter);
  await world.call('Account_Logout', {}, inviter);
  const session = await world.signIn(name);
  const Token = await world.invitationFor(name);
  await world.call('TenantInvitations_Accept', { Token }, session);
  members.push(name);
}

const idOf = (answer: Body, record: string): string => String((answer[record] as Body)['ID']);
