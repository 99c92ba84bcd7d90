// 24 s: the tests beside the contract and what is published.
import { importTests } from './beside-code.ts';

await importTests(['packages/{contract,cli,client,server}']);
