import { UnavailableError } from '../errors.ts';
import { isRefusal } from './backoff.ts';
import type { ConnectionEnd } from './connection.ts';
import { createLink, type Link } from './link.ts';
import type { Matchers } from './patterns.ts';
import { createPlainCalls } from './plain.ts';
import type { Platform } from './platform.ts';
import { createQuestions } from './questions.ts';
import { createReadiness } from './readiness.ts';

/**
 * `following` = answers come from memory. `plain` = each question is a call, since WebSockets are
 * refused. `refused` = the credential is refused. In `connecting` questions wait.
 */
export type FollowerState = 'connecting' | 'following' | 'plain' | 'refused' | 'closed';

type RouteDeps = {
  url: string;
  credential: string;
  tenants: readonly string[] | undefined;
  maxEntries: number;
  log: (message: string) => void;
  platform: Platform;
  matchers: Matchers;
};

/** Opens the way to a gateway: a connection, or plain calls where none can be made. */
export function openRoute(deps: RouteDeps) {
  const { platform } = deps;
  const { plainUrl, socketUrl } = addressesOf(deps.url);
  const plain = createPlainCalls({ ...deps, url: plainUrl });
  const notices = createNotices(deps.log);
  const readiness = createReadiness(platform, () => ['following', 'plain'].includes(state()));
  let isClosed = false;
  let isPlain = !platform.connect;
  const questions = createQuestions(platform, {
    find: (key) => link?.connection()?.find(key),
    withdraw: (pending) => link?.connection()?.withdraw(pending),
    ask(pending) {
      const connection = link?.connection();
      const refusal = link?.refusal();
      if (connection) connection.ask(pending);
      else if (refusal) pending.reject(errorOf(refusal));
      else if (!link) void plain.settle(pending);
      else if (link.isUpgradeRefused()) void plain.trySettle(pending).then(notePlain);
    },
  });

  const state = () => (isClosed ? 'closed' : stateOf(link, isPlain));

  function onWelcome(): void {
    isPlain = false;
    notices.clear();
    questions.askWaiting();
    readiness.settle();
  }

  function onClose(connectionEnd: ConnectionEnd): void {
    if (isFinal(connectionEnd)) {
      const error = errorOf(connectionEnd);
      notices.notify(error.message);
      questions.rejectWaiting(error);
      readiness.settle(error);
    } else if (!connectionEnd.wasOpened) {
      questions.askWaiting();
      if (readiness.hasWaiters()) void plain.hasGateway().then(notePlain);
    }
  }

  function notePlain(isAnswered: boolean): void {
    if (!isAnswered || isClosed || !link?.isUpgradeRefused()) return;
    isPlain = true;
    notices.notify(`${socketUrl} is refused: ${plainNotice}`);
    readiness.settle();
  }

  const { connect } = platform;
  const link: Link | undefined =
    connect && createLink({ ...deps, url: socketUrl, connect, onWelcome, onClose });
  if (!link) notices.notify(`this platform has no WebSocket: ${plainNotice}`);
  return {
    questions,
    state,
    ready: readiness.wait,
    close(): void {
      isClosed = true;
      link?.close();
      questions.close();
      readiness.close();
    },
  };
}

function stateOf(link: Link | undefined, isPlain: boolean): FollowerState {
  if (link?.connection()) return 'following';
  if (link?.refusal()) return 'refused';
  return isPlain ? 'plain' : 'connecting';
}

const plainNotice = 'each question is a call, and no answer is kept';

/**
 * Whether the questions of the connection are not asked again: the credential is refused, or a frame
 * is, and which one is not known.
 */
const isFinal = ({ code }: ConnectionEnd): boolean =>
  isRefusal(code) || code === 4400 || code === 1009;

const errorOf = ({ code, reason }: ConnectionEnd): UnavailableError =>
  new UnavailableError(
    `Bailiwick has closed the follower's connection: ${code} ${reason || 'without a reason'}`,
  );

/** Says each message once, until the connection works again. */
function createNotices(log: (message: string) => void) {
  const messages = new Set<string>();
  return {
    clear: () => messages.clear(),
    notify(message: string): void {
      if (messages.has(message)) return;
      messages.add(message);
      log(message);
    },
  };
}

/** The addresses of `follow`. A password in an address would reach errors and logs. */
function addressesOf(url: string): { plainUrl: string; socketUrl: string } {
  const { protocol, host, pathname, username, password } = new URL(url);
  if (!['http:', 'https:'].includes(protocol) || username !== '' || password !== '')
    throw new TypeError('url must be an address with http or https, without a user');
  const rest = `//${host}${pathname.replace(/\/$/, '')}/follow`;
  return { plainUrl: `${protocol}${rest}`, socketUrl: `${protocol.replace('http', 'ws')}${rest}` };
}
