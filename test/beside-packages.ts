// 24 s: the tests beside most packages.
import { importTests } from './beside-code.ts';

await importTests(['packages/!(contract|cli|client|server)']);
