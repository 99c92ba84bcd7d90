import { generalActions, sayings } from '../parts/audit-actions.ts';
import type { Translate } from '../parts/texts.tsx';
import type { AuditFilters } from './search.ts';

// The suggestions of the audit's search: the filters that match the typed text.

export type Suggestion = { group: string; label: string; filter: AuditFilters };

export type FoundPerson = { id: string; name: string };

const hourMs = 60 * 60 * 1000;
const periods = [
  { text: 'audit.lastHour', ms: hourMs },
  { text: 'audit.lastDay', ms: 24 * hourMs },
  { text: 'audit.lastWeek', ms: 7 * 24 * hourMs },
  { text: 'audit.lastMonth', ms: 30 * 24 * hourMs },
] as const;

const id = /^[a-z]{2,5}_[0-9a-z]{6,}$/;
const address = /^(?=.*[.:])[0-9a-f.:]{3,45}$/i;
const date = /^\d{4}-\d{2}-\d{2}$/;
const operation = /^[A-Z][A-Za-z]+(_[A-Za-z]*)?$/;

/** The actions by their names, and the families of which they are, such as "group.". */
const withFamilies = (actions: readonly string[]): readonly string[] =>
  [...new Set(actions.flatMap((one) => [`${one.split('.')[0]}.`, one]))].sort();

const tenantActions = withFamilies([...sayings.keys()]);
const platformActions = withFamilies([...sayings.keys(), ...generalActions]);

/** The actions in the audit of a tenant, or in that of the platform. */
export const actionsOf = (tenant: string | undefined) =>
  tenant === undefined ? platformActions : tenantActions;

/** Filters for texts with a form of their own: an ID, an address, a day, an operation. */
function readForms(text: string, t: Translate): Suggestion[] {
  const group = t('audit.filters');
  if (id.test(text))
    return [
      { group, label: t('audit.byActor', { id: text }), filter: { actor: text } },
      { group, label: t('audit.aboutTarget', { id: text }), filter: { target: text } },
    ];
  const day = date.test(text) ? new Date(`${text}T00:00`) : undefined;
  if (day && !Number.isNaN(day.getTime()))
    return [
      { group, label: t('audit.since', { time: text }), filter: { from: day.toISOString() } },
      { group, label: t('audit.before', { time: text }), filter: { to: day.toISOString() } },
    ];
  if (address.test(text))
    return [{ group, label: t('audit.fromAddress', { ip: text }), filter: { ip: text } }];
  if (operation.test(text))
    return [{ group, label: t('audit.operationIs', { name: text }), filter: { operation: text } }];
  return [];
}

const mostActions = 12;

/** @param now rounded by the caller, so that a suggestion stays the same while it is shown */
export function suggest(
  text: string,
  people: readonly FoundPerson[],
  actions: readonly string[],
  t: Translate,
  now: number,
): Suggestion[] {
  const typed = text.trim();
  const matches = ({ label }: Suggestion) => label.toLowerCase().includes(typed.toLowerCase());
  const results = (['success', 'denied', 'failed'] as const).map((result) => ({
    group: t('audit.result'),
    label: t(`audit.${result}`),
    filter: { result },
  }));
  const times = periods.map(({ text: key, ms }) => ({
    group: t('audit.period'),
    label: t(key),
    filter: { from: new Date(now - ms).toISOString() },
  }));
  const persons = people.map(({ id: actor, name }) => ({
    group: t('audit.person'),
    label: name,
    filter: { actor },
  }));
  const named = actions.map((action) => ({
    group: t('audit.action'),
    label: action,
    filter: { action },
  }));
  const suggestions = typed === '' ? [] : named.filter(matches).slice(0, mostActions);
  return [
    ...readForms(typed, t),
    ...persons,
    ...times.filter(matches),
    ...results.filter(matches),
    ...suggestions,
  ];
}
