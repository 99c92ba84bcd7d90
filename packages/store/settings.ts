import { atLeast, type SettingTable } from '@bailiwick/process';

/** A service's database: its own, or `DATABASE_URL`, which all services share. */
export const databaseSettings = <Service extends string>(service: Service) =>
  ({
    databaseUrl: {
      env: `BAILIWICK_${service.toUpperCase() as Uppercase<Service>}_DATABASE_URL`,
      orElse: 'DATABASE_URL',
      kind: 'url',
      about: `The PostgreSQL database with the schema ${service}. The default is DATABASE_URL. The login must be a member of the role bailiwick_${service}_<name of the database>, which the migrations make. Use ?sslmode=verify-full for TLS, and &sslrootcert=<file> for a CA that the system does not trust: the file is read for each connection.`,
    },
    databaseReadUrl: {
      env: `BAILIWICK_${service.toUpperCase() as Uppercase<Service>}_DATABASE_READ_URL`,
      orElse: 'DATABASE_READ_URL',
      kind: 'text',
      fallback: '',
      check: (url: string) => {
        if (url !== '' && !URL.canParse(url)) throw new Error('must be a URL');
      },
      about: `A streaming replica of ${service}'s database, which answers lists once it has the caller's own last change. The default is DATABASE_READ_URL. Empty = none. See docs/operations.md.`,
    },
    databasePool: {
      env: 'BAILIWICK_DATABASE_POOL',
      kind: 'int',
      fallback: '10',
      check: atLeast(1),
      about: 'Maximum number of database connections of a service in one process.',
    },
  }) as const satisfies SettingTable;
