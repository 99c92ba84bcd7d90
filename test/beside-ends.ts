// 24 s: the tests beside the gateway, the console and the tools.
import { importTests } from './beside-code.ts';

await importTests(['gateway', 'console', 'deploy', 'site', 'bench']);
