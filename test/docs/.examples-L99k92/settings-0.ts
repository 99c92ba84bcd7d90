import { atLeast, readSettings, type SettingTable } from '@bailiwick/settings';

const table = {
  port: {
    env: 'PORT',
    kind: 'int',
    fallback: '8080',
    check: atLeast(1),
    about: 'Port to listen on.',
  },
  hosts: { env: 'HOSTS', kind: 'list', fallback: '', about: 'Names to answer to.' },
} as const satisfies SettingTable;

console.log(readSettings(table, { HOSTS: 'a.example, b.example' }));
try {
  readSettings(table, { PORT: 'http' });
} catch (error) {
  console.log(String(error));
}
