import { isOutage } from '@bailiwick/errors';
import { noticeTasks, type Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import { type Database, onPool } from '@bailiwick/store';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { isOwnGrant } from '../decisions/delegation.ts';
import { assertUser, type Directory, findBot, findUser, shownName } from '../directory.ts';
import { findOperators, type Operators } from '../grants/queries.ts';
import type { GrantInput } from '../grants/records.ts';

// A role on the platform allows acts on all accounts. A user who gives such a role, or takes it from
// another, needs a recent sign-in, as for an act on an account. Operators get a mail about each
// caller, bots and the platform key too. It names the reason if the request has one.

type Deps = { database: Database; directory: Directory; log: Log };

/** The reason of a change of a platform role, and the mails to the operators. */
export type PlatformNotice = { reason?: string; tasks?: Task[]; operators?: Operators };

/**
 * The notice of a new grant. Call it before the transaction: it asks identity.
 * @throws permission_denied if the caller is a user who signed in more than 15 minutes ago, or without
 * the second factor that the user has
 */
export async function grantNotice(
  deps: Deps,
  input: GrantInput,
  text: string,
  call: Call,
): Promise<PlatformNotice> {
  if (input.tenant !== '') return {};
  const reason = text.trim();
  const time = input.expiresAt && timestampDate(input.expiresAt).toISOString();
  const details = { reason: reason || '–', ...(time !== undefined && { time }) };
  const notice = await noticesFor('platform_role_given', deps, input, call, details);
  return { ...(reason !== '' && { reason }), ...notice };
}

/**
 * The notice of a removal from another: the operators before it get the mail, and so does the one who
 * loses the role. Call it before the transaction. Without identity, bots and the platform key remove
 * a role without a mail. @throws as grantNotice does
 */
export async function removalNotice(
  deps: Deps,
  input: GrantInput,
  call: Call,
): Promise<PlatformNotice> {
  if (input.tenant !== '' || isOwnGrant(call.caller, input)) return {};
  try {
    return await noticesFor('platform_role_removed', deps, input, call, {});
  } catch (error) {
    if (call.caller.type === 'user' || !isOutage(error)) throw error;
    const { subject, role } = input;
    deps.log.warn('a role on the platform is removed without a mail: identity is away', {
      error,
      subject,
      role,
    });
    return {};
  }
}

async function noticesFor(
  kind: 'platform_role_given' | 'platform_role_removed',
  { database, directory, log }: Deps,
  input: GrantInput,
  call: Call,
  details: Record<string, string>,
): Promise<Pick<PlatformNotice, 'tasks' | 'operators'>> {
  // A role on one resource is the applications' own: it opens no account.
  if (input.resource !== '') return {};
  const operatorName = await operatorNameOf({ directory, log }, call);
  const operators = await findOperators(onPool(database));
  // The one who loses a role may not be among the first operators.
  const losesRole = kind === 'platform_role_removed' && input.subjectType === 'user';
  const ids = [...new Set(losesRole ? [...operators.ids, input.subject] : operators.ids)];
  const { users } = await directory.getUsers({ ids }, call, { signal: call.signal });
  const name = await nameOf(directory, input, call);
  const about = [input.subject, input.role, details['time'] ?? ''].join(' ').trimEnd();
  const values = { operatorName, name, role: input.role, about, ...details };
  return { tasks: noticeTasks(kind, users, values), operators };
}

/** The name of the caller, "" = the platform key. A user has proven a recent sign-in. */
async function operatorNameOf(
  { directory, log }: Pick<Deps, 'directory' | 'log'>,
  call: Call,
): Promise<string> {
  const { type, id, credentialId } = call.caller;
  if (type === 'bot') return (await findBot(directory, id, call))?.name ?? id;
  if (type !== 'user') return '';
  try {
    const request = { userId: id, sessionId: credentialId };
    return (await directory.proveOperator(request, call, { signal: call.signal })).name;
  } catch (error) {
    if (!(error instanceof ConnectError) || error.code !== Code.Unimplemented) throw error;
    // During an upgrade identity may be an older version, which cannot prove a sign-in. A refusal
    // would fail calls that the version before answers.
    log.warn('a role on the platform changes without the proof of a sign-in: identity is older', {
      user: id,
    });
    const { name, email } = await assertUser(directory, id, call);
    return name || email;
  }
}

async function nameOf(
  directory: Directory,
  { subjectType, subject }: GrantInput,
  call: Call,
): Promise<string> {
  if (subjectType === 'bot') return (await findBot(directory, subject, call))?.name ?? subject;
  const user = await findUser(directory, subject, call);
  return user ? shownName(user) : subject;
}
