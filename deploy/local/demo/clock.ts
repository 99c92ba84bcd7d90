import { databaseRole } from '@bailiwick/store';
import pg from 'pg';
import { schemas } from '../../migrate.ts';
import { clockSchema } from './clock-schema.ts';

// The clock of a filling: this process and its database sessions live in the past. The functions of
// the services get their times as always, from Date and from now().

export type DemoClock = {
  /** Sets this process and the database to a moment that is not in the future. */
  moveTo(moment: Date): Promise<void>;
  /** Runs a statement beside the services, in real time. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
};

const realDate = Date;

/** Before the services load, so that all of their sessions get the clock. */
export async function startClock(databaseUrl: string): Promise<DemoClock> {
  let behindMs = 0;
  setDate(() => realDate.now() - behindMs);
  // It connects before `putBeforeCatalog` runs, and so reads the real time.
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const roles = schemas.map(({ service }) => `"${databaseRole(service, databaseUrl)}"`).join(', ');
  await client.query(`create schema ${clockSchema};
    create table ${clockSchema}.clock (behind interval not null);
    insert into ${clockSchema}.clock values ('0');
    create function ${clockSchema}.now() returns timestamptz language sql stable as
      'select pg_catalog.now() - behind from ${clockSchema}.clock';
    grant usage on schema ${clockSchema} to ${roles};
    grant select on ${clockSchema}.clock to ${roles};`);
  putBeforeCatalog();
  const query: DemoClock['query'] = async <Row extends pg.QueryResultRow>(
    text: string,
    values: unknown[] = [],
  ) => (await client.query<Row>(text, values)).rows;
  return {
    query,
    async moveTo(moment) {
      const ms = Math.max(0, realDate.now() - moment.getTime());
      await query(`update ${clockSchema}.clock set behind = $1::float8 * interval '1 ms'`, [ms]);
      behindMs = ms;
    },
  };
}

/** Makes Date tell another present. Dates of other moments stay as they are. */
function setDate(now: () => number): void {
  globalThis.Date = new Proxy(realDate, {
    construct: (target, values: [], newTarget) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget) as object,
    get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
  });
}

/**
 * A session finds `now` in the first schema of its search path, which is otherwise PostgreSQL's.
 */
function putBeforeCatalog(): void {
  type Connecting = { connectionParameters: { options?: string } };
  const prototype = pg.Client.prototype as unknown as Record<'connect', (...values: []) => unknown>;
  const { connect } = prototype;
  prototype.connect = function (this: Connecting, ...values: []) {
    const { options = '' } = this.connectionParameters;
    const path = `search_path=${clockSchema},pg_catalog,`;
    this.connectionParameters.options = options.replace('search_path=', path);
    return connect.apply(this, values);
  };
}
