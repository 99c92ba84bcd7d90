import { stringify } from 'yaml';
import { readValues } from './values.ts';

/**
 * helm/bailiwick/files/defaults.yaml: the sections of values.yaml. The templates cannot read
 * values.yaml itself, and `helm upgrade --reuse-values` leaves out its new sections. Without
 * dnsConfig: a user removes that section by setting it to null.
 */
export function renderChartDefaults(): string {
  const { dnsConfig: _, ...sections } = readValues().values;
  return `# Generated from values.yaml by \`npm run generate\`.\n${stringify(sections, { lineWidth: 0 })}`;
}
