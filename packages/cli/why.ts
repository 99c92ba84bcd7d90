import type { ResponseOf } from '../client/client.ts';
import { type Command, textOf } from './command.ts';
import { connect, urlOf } from './connect.ts';
import { exitCodes, Refusal, UsageError } from './failure.ts';
import { print, say } from './output.ts';
import { defaultTenant, findTenant } from './tenant.ts';
import { aligned, printable, table } from './text.ts';

type Answer = ResponseOf<'Webhooks_ExplainDelivery'>;
type Explanation = Answer['Endpoints'][number];
type Attempt = Explanation['Attempts'][number];

export const why: Command = {
  takes: 'EVENT',
  summary:
    'Explains why an event did or did not arrive at each webhook endpoint of the tenant: who gets it, its attempts, and what the next one waits for. EVENT is the ID that Events_Publish returned, or the webhook-id of a delivery.',
  options: { tenant: { type: 'string' } },
  help: [['--tenant ID|SLUG', 'default: the tenant of bailiwick use']],
  async run({ values, rest: [event, ...more] }) {
    if (event === undefined || more.length > 0) throw new UsageError('why takes one event');
    const name = textOf(values['tenant']) ?? defaultTenant(urlOf(values));
    if (name === undefined)
      throw new Refusal('name a tenant: with --tenant, or a default with bailiwick use');
    const client = await connect(values);
    const request = { Tenant: await findTenant(client, name), Event: event };
    const answer = await client.call('Webhooks_ExplainDelivery', request);
    print(values['json'] === true ? JSON.stringify(answer, null, 2) : pageOf(answer));
    if (answer.Endpoints.length === 0) say('the tenant has no webhook endpoint');
    return exitCodes.ok;
  },
};

/** A line about the event, a table of the endpoints, and a table of the attempts at each. */
function pageOf({ Event, EventType, OccurredAt, Endpoints }: Answer): string {
  const attempted = Endpoints.filter(({ Attempts }) => Attempts.length > 0);
  return [
    aligned([
      ['Event', printable(Event)],
      ['Type', printable(EventType)],
      ['Time', OccurredAt ?? ''],
    ]),
    ...(Endpoints.length > 0 ? [linesOf(Endpoints)] : []),
    ...attempted.map((one) => `${titleOf(one)}\n${table(one.Attempts.map(attemptRow))}`),
  ].join('\n\n');
}

// Not a table of records, which shortens long values: the sentence is the answer.
const linesOf = (endpoints: readonly Explanation[]) =>
  aligned([
    ['Name', 'State', 'Next', 'Why', 'Endpoint'],
    ...endpoints.map((one) => [
      printable(one.Name),
      printable(one.Reason === '' ? one.State : one.Reason),
      nextOf(one),
      printable(one.Message),
      printable(one.Endpoint),
    ]),
  ]);

/** The next attempt, such as "attempt 2 of 11, not before 2026-01-31T12:30:00.000Z". */
function nextOf({ Wait }: Explanation): string {
  if (!Wait) return '';
  const number = `attempt ${Wait.Attempt} of ${Wait.LastAttempt}`;
  return Wait.Until === undefined ? number : `${number}, not before ${Wait.Until}`;
}

const titleOf = ({ Name }: Explanation) => `Attempts at ${printable(Name)}`;

const attemptRow = ({ Attempt, StartedAt, Status, StatusCode, Error, DurationMs }: Attempt) => ({
  Attempt,
  Time: StartedAt,
  Status,
  StatusCode: StatusCode === 0 ? 'none' : StatusCode,
  Error,
  Ms: DurationMs,
});
