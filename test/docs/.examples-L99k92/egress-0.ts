import { egressRules, urlProblem } from '@bailiwick/egress';

const rules = egressRules({ hosts: [], cidrs: [], ports: [] });
console.log(urlProblem('https://example.com/hook', rules));
console.log(urlProblem('https://169.254.169.254/latest/meta-data', rules));
