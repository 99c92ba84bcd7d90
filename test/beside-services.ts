// 24 s: the tests beside the services.
import { importTests } from './beside-code.ts';

await importTests(['services']);
