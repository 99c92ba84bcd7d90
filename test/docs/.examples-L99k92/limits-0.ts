import { callerNetwork, homeNetwork } from '@bailiwick/limits';

console.log(callerNetwork('192.0.2.7'), callerNetwork('2001:db8:1:2:3::4'));
console.log(homeNetwork('192.0.2.7'));
