import assert from 'node:assert/strict';
import {
  type Directory,
  newDirectory,
  patchOf,
  personOf,
  type Resource,
  writesOf,
} from '@bailiwick/test/operations/access/scim-calls.ts';
import type { OwnStack } from '@bailiwick/test/support/harness.ts';
import type { Bench, Row } from './bench.ts';
import { type Cost, costOf, costRows } from './cost.ts';
import { createPeople, startMeasured } from './stack.ts';

/** Requests that a directory sends at the same time. */
const clients = 4;
const groupSize = 40;

/**
 * G30, the first synchronisation of a directory, and a repeated one that changes nothing: half as
 * many people as `--tasks` says, and a group for each twenty. For each person a directory looks for
 * the userName and creates or replaces the person, and for each group it sends the members.
 */
export const scim: Bench = async ({ tasks }) => {
  const stack = await startMeasured('five processes');
  const [owner] = await createPeople(stack, 1);
  assert.ok(owner);
  const { User } = (await stack.call('Account_Get', {}, owner.token)).body as {
    User: { ID: string };
  };
  const directory = await newDirectory(stack, { id: User.ID, token: owner.token });
  const people = Array.from({ length: Math.round(tasks / 2) }, (_, n) =>
    personOf(directory.address(`p${n}`), { externalId: `e${n}`, displayName: `Person ${n}` }),
  );
  const groups = Array.from({ length: Math.ceil(people.length / 20) }, (_, n) => `Group ${n}`);
  const sync = () => synchronise(stack, directory, people, groups);
  const first = await sync();
  const before = await writesOf(stack, directory.Tenant);
  const repeated = await sync();
  assert.deepEqual(await writesOf(stack, directory.Tenant), before, 'the repetition has written');
  await stack.stop();
  const size = `${people.length} people and ${groups.length} groups of ${groupSize}`;
  const row = (what: string, ours: number): Row => ({
    id: 'G30',
    what: `${what} by SCIM, ${size}`,
    unit: 's',
    ours,
  });
  return [
    row('a first synchronisation', secondsOf(first)),
    row('until each change is audited', settledSecondsOf(first)),
    row('a repeated one, which writes nothing', secondsOf(repeated)),
    ...costRows('G30', 'a new person', first.people, people.length),
    ...costRows('G30', 'a new group', first.groups, groups.length),
    ...costRows('G30', 'a known person', repeated.people, people.length),
  ];
};

type Synchronisation = { people: Cost; groups: Cost };

const secondsOf = ({ people, groups }: Synchronisation): number => people.seconds + groups.seconds;
const settledSecondsOf = ({ people, groups }: Synchronisation): number =>
  people.settledSeconds + groups.settledSeconds;

async function synchronise(
  stack: OwnStack,
  { get, find, call }: Directory,
  people: ReadonlyArray<ReturnType<typeof personOf>>,
  groups: readonly string[],
): Promise<Synchronisation> {
  const ids: string[] = [];
  const syncPerson = async (person: ReturnType<typeof personOf>, index: number) => {
    const { Resources } = await find(`userName eq "${person.userName}"`);
    const [user] = Resources;
    const { id } = user
      ? await get<Resource>('PUT', `Users/${user.id}`, person)
      : await get<Resource>('POST', 'Users', person, 201);
    ids[index] = id;
  };
  const syncGroup = async (displayName: string, index: number) => {
    const { Resources } = await find(`displayName eq "${displayName}"`, 'Groups');
    const { id } =
      Resources[0] ?? (await get<Resource>('POST', 'Groups', { displayName, members: [] }, 201));
    const members = Array.from({ length: groupSize }, (_, n) => ({
      value: ids[(index * 20 + n) % ids.length],
    }));
    const { status, body } = await call(
      'PATCH',
      `Groups/${id}`,
      patchOf({ op: 'Add', path: 'members', value: members }),
    );
    assert.equal(status, 204, JSON.stringify(body));
  };
  return {
    people: await costOf(stack, () => eachOf(people, syncPerson)),
    groups: await costOf(stack, () => eachOf(groups, syncGroup)),
  };
}

/** Works on the items in turn, with as many at once as there are clients. */
async function eachOf<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries();
  const client = async () => {
    for (const [index, item] of entries) await work(item, index);
  };
  await Promise.all(Array.from({ length: clients }, client));
}
