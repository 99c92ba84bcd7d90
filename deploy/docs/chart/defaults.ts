import { stringify } from 'yaml';
import { readValues } from './values.ts';

/**
 * helm/bailiwick/files/defaults.yaml: the sections of values.yaml. The templates cannot read
 * values.yaml itself, and `helm upgrade --reuse-values` leaves out its new sections.
 */
export const renderChartDefaults = (): string =>
  `# Generated from values.yaml by \`npm run generate\`.\n${stringify(readValues().values, { lineWidth: 0 })}`;
