import { createHash } from 'node:crypto';
import { type Email, findEmail, validate } from '@bailiwick/contract';
import { UsersGetByEmailRequestSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { Run } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { invalidValue } from './protocol/problems.ts';
import { canonical, isObject, type Resource, textOf, type Value } from './protocol/resource.ts';
import { enterpriseSchema, membershipSchema, userSchema } from './protocol/schemas.ts';
import { findGroupsOf, type GroupOfPerson, type PersonRow } from './queries.ts';

// People of the directory as the protocol shows them.

/**
 * The status of a person. removed: an administrator has removed the member or revoked the
 * invitation, or the directory has disabled the person before they were a member.
 */
function statusOf({ memberStatus, invitationStatus }: PersonRow): string {
  if (memberStatus !== null) return memberStatus === 'active' ? 'active' : 'disabled';
  if (invitationStatus === 'pending') return 'invited';
  if (invitationStatus === 'declined' || invitationStatus === 'expired') return invitationStatus;
  return 'removed';
}

/** Whether the invitation has expired and the directory has not deactivated the person. */
export const hasExpired = (person: PersonRow): boolean => statusOf(person) === 'expired';

export const hasDeclined = (person: PersonRow): boolean => statusOf(person) === 'declined';

/** An invited person is active to the directory, which would otherwise activate it again and again. */
const isActive = (person: PersonRow): boolean =>
  ['active', 'invited', 'declined'].includes(statusOf(person));

/**
 * Whether an administrator has disabled the member, who may have left since: the directory does not
 * undo that.
 */
export const isHeld = ({
  memberStatus,
  disabledBy,
}: Pick<PersonRow, 'memberStatus' | 'disabledBy'>): boolean =>
  (memberStatus === 'disabled' || memberStatus === 'barred') && disabledBy === '';

/** The attributes that the directory writes. */
export const writable = (person: PersonRow): Resource => ({
  ...(person.resource as Resource),
  active: isActive(person),
});

/** The version, of all but the groups and times: a hash, since the status is in other tables. */
export function personVersion(person: PersonRow): string {
  const content = canonical({
    ...writable(person),
    status: statusOf(person),
    userId: person.userId,
  });
  return versionOf(content);
}

export const versionOf = (content: string): string =>
  `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;

function renderPerson(
  person: PersonRow,
  groups: readonly GroupOfPerson[],
  baseUrl: string,
): Resource {
  const { id, userId, createdAt, updatedAt } = person;
  const { [enterpriseSchema.id]: enterprise, ...core } = writable(person);
  return {
    schemas: [
      userSchema.id,
      ...(enterprise === undefined ? [] : [enterpriseSchema.id]),
      membershipSchema.id,
    ],
    id,
    ...core,
    groups: groups.map((group) => ({
      value: group.id,
      $ref: `${baseUrl}/Groups/${group.id}`,
      display: group.name,
      type: 'direct',
    })),
    ...(enterprise !== undefined && { [enterpriseSchema.id]: enterprise }),
    [membershipSchema.id]: {
      status: statusOf(person),
      ...(userId !== '' && { userId }),
    },
    meta: {
      resourceType: 'User',
      created: new Date(createdAt).toISOString(),
      lastModified: new Date(updatedAt).toISOString(),
      location: `${baseUrl}/Users/${id}`,
      version: personVersion(person),
    },
  };
}

/** The resources of people, in their order. */
export async function renderPeople(
  run: Run,
  tenant: string,
  people: readonly PersonRow[],
  baseUrl: string,
): Promise<Resource[]> {
  if (people.length === 0) return [];
  const groups = Map.groupBy(
    await findGroupsOf(
      run,
      tenant,
      people.map(({ id }) => id),
    ),
    ({ personId }) => personId,
  );
  return people.map((person) => renderPerson(person, groups.get(person.id) ?? [], baseUrl));
}

const textAt = (value: unknown, name: string): string =>
  textOf(isObject(value) ? value[name] : undefined);

/**
 * The address that identifies the account: the primary one, else that of type work, else the first,
 * else the userName. @throws SCIM_INVALID_VALUE
 */
export function addressOf(resource: Resource): Email {
  const email = findAddress(chosenOf(resource));
  if (!email) throw invalidValue('emails must have a mail address, or userName must be one');
  return email;
}

/** The value of `emails` that names the address, or the userName. */
function chosenOf(resource: Resource): Value | undefined {
  const list = listOf(resource);
  return (
    list.find((one) => one['primary'] === true) ??
    list.find((one) => textAt(one, 'type').toLowerCase() === 'work') ??
    list[0] ??
    resource['userName']
  );
}

const listOf = ({ emails = [] }: Resource): Resource[] =>
  (emails as readonly Resource[]).filter((one) => textAt(one, 'value') !== '');

function findAddress(chosen: Value | undefined): Email | undefined {
  const address = isObject(chosen) ? textAt(chosen, 'value') : textOf(chosen);
  return isAddress(address) ? findEmail(address) : undefined;
}

/** The address of a stored person, which the directory may have emptied since. */
export function presentAddress({ resource, emailKey }: PersonRow): Email {
  const named = findAddress(chosenOf(resource as Resource));
  return named?.key === emailKey ? named : (findEmail(emailKey) ?? addressOf(resource as Resource));
}

/**
 * The address after a change. An emptied or removed address stays the account's: it moves only to
 * one that the directory gives anew, and never to the next one that it has. @throws
 * SCIM_INVALID_VALUE
 */
export function nextAddress(
  stored: PersonRow,
  { resource, emptied }: { resource: Resource; emptied: ReadonlySet<string> },
): Email {
  const previous = stored.resource as Resource;
  const [before, after] = [chosenOf(previous) ?? '', chosenOf(resource) ?? ''];
  if (canonical(before) === canonical(after)) return presentAddress(stored);
  if (!emptied.has('emails')) return addressOf(resource);
  const isKnown = isObject(after)
    ? listOf(previous).some((one) => canonical(one) === canonical(after))
    : after === previous['userName'] || findAddress(after) === undefined;
  return isKnown ? presentAddress(stored) : addressOf(resource);
}

/** Whether a text passes the validation of the API's addresses. */
const isAddress = (email: string): boolean =>
  validate(UsersGetByEmailRequestSchema, create(UsersGetByEmailRequestSchema, { email })).length ===
  0;

/** The profile of an account. identity leaves out invalid values. */
export function profileOf(resource: Resource, email: Email) {
  const { name, displayName, locale } = resource;
  const [givenName, familyName] = [textAt(name, 'givenName'), textAt(name, 'familyName')];
  const whole =
    textOf(displayName) || textAt(name, 'formatted') || `${givenName} ${familyName}`.trim();
  return {
    email: email.address,
    name: whole,
    givenName,
    familyName,
    // Directories also write en_US.
    locale: textOf(locale).replaceAll('_', '-'),
  };
}

/** The unique form of a userName. */
export const userNameKey = (userName: string): string => userName.normalize('NFC').toLowerCase();
