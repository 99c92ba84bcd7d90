import process from 'node:process';
import { createOperatorToken } from '@bailiwick/access/operators/link.ts';
import { accessSchema } from '@bailiwick/access/schema.ts';
import { createLog, type Environment, readSettings } from '@bailiwick/process';
import { openDatabase } from '@bailiwick/store';
import { rpcPortSettings } from '@bailiwick/wire';
import { operatorExists, operatorLinkSettings, settingTables } from './settings.ts';

// Prints a link that makes the person who opens it the first operator of the platform. It runs where
// access runs, with that process's environment: its own database is all that it needs.
//
// node deploy/operator-link.ts

/** The environment of a pod has the settings of its whole process. */
const tables = [...Object.values(settingTables), rpcPortSettings];

/** The link; undefined if a user holds a role on the platform already. */
export async function createOperatorLink(environment: Environment): Promise<string | undefined> {
  const { databaseUrl, publicUrl } = readSettings(operatorLinkSettings, environment, tables);
  const database = openDatabase({
    service: accessSchema.service,
    url: databaseUrl,
    entities: accessSchema.entities,
    poolSize: 2,
    log: createLog('operator-link'),
  });
  try {
    const token = await createOperatorToken(database);
    // Behind the #, so that no server and no log sees it.
    return token && `${publicUrl}/console/operator#${token}`;
  } finally {
    await database.close();
  }
}

async function main(): Promise<number> {
  const link = await createOperatorLink(process.env);
  if (link === undefined) {
    process.stderr.write('The platform has an operator, who adds others with Grants_Add.\n');
    return operatorExists;
  }
  process.stdout.write(`${link}\n`);
  return 0;
}

if (import.meta.main)
  process.exit(
    await main().catch((error: unknown) => {
      createLog('operator-link').error('making the link failed', { error });
      return 1;
    }),
  );
