export {
  atLeast,
  ConfigurationError,
  type Environment,
  type Mounted,
  namesOf,
  oneOf,
  readSettings,
  readText,
  type Setting,
  type Settings,
  type SettingTable,
} from './config.ts';
export { watchContent, watchMounted } from './watch.ts';
