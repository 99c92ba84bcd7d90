import { importTests } from './beside-code.ts';

await importTests(['packages/{contract,cli,client,server}']);
