import { importTests } from './beside-code.ts';

await importTests(['services', 'gateway', 'console', 'deploy', 'site', 'bench']);
