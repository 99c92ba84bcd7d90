import { importTests } from './beside-code.ts';

await importTests(['gateway', 'console', 'deploy', 'site', 'bench']);
