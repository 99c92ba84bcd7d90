import { importTests } from './beside-code.ts';

await importTests(['services']);
