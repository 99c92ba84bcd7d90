// Where a user goes on to: the page or application that they came for, else the application of their
// tenant or of the installation.
import { call, leaveFor } from './calls.js';

/** @import { Account_GetRes, AccountTenant } from '@bailiwick/client/gen/types.ts' */
/** @typedef {Pick<AccountTenant, 'RequireFactor'> & Partial<AccountTenant>} Requirement */

const query = new URLSearchParams(location.search);

export const returnTo = query.get('return_to') ?? '';
/** The ID or slug of the tenant that the page is about, or "". */
export const tenantInAddress = (query.get('tenant') ?? '').slice(0, 63);
/** @param {AccountTenant} tenant */
export const isInAddress = ({ ID, Slug }) => tenantInAddress === ID || tenantInAddress === Slug;

/**
 * The URL of a path below the public URL, or undefined. Everything else could lead to another site,
 * including backslashes, which browsers read as slashes, and tabs and line breaks, which they drop.
 * @param {string} path
 */
function onwardTo(path) {
  if (!/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path)) return undefined;
  const base = new URL('.', location.href);
  const target = URL.canParse(`.${path}`, base) ? new URL(`.${path}`, base) : base;
  return target.origin === base.origin ? target.href : undefined;
}
export const onward = onwardTo(returnTo);

/** Whether the user came from an application or another page. */
export const cameFrom = onward !== undefined || /^https?:/.test(returnTo);

/**
 * Leaves for the page or application. The service decides which applications are allowed, and adds a
 * code to their address. Does nothing if there is nowhere to go on to.
 * @param {string} [Tenant]
 */
export async function leaveOnward(Tenant = tenantInAddress) {
  if (onward) return leaveFor(onward);
  const { Redirect } = await call('Account_IssueCode', { ReturnTo: returnTo, Tenant });
  if (Redirect !== '') await leaveFor(Redirect);
}

/**
 * The address of another page, which leads on to the same place.
 * @param {string} page
 * @param {Record<string, string>} [parameters]
 */
export const withReturn = (page, parameters = {}) => {
  const search = new URLSearchParams({
    ...parameters,
    ...(tenantInAddress && { tenant: tenantInAddress }),
    ...(isStepUp && { step_up: stepUp }),
    ...(returnTo && { return_to: returnTo }),
  });
  return search.size === 0 ? page : `${page}?${search}`;
};

/**
 * Whether a session of this assurance has the factor that a tenant requires, now or later.
 * @param {Requirement} requirement
 * @param {string} assurance
 */
export const meetsFactor = ({ RequireFactor }, assurance) =>
  assurance === 'phishing_resistant' ||
  (RequireFactor === 'any' ? assurance === 'aal2' : RequireFactor !== 'phishing_resistant');

/** The requirement of the application that sent the user: the tenant's, or an assurance. */
const stepUp = onward ? (query.get('step_up') ?? '') : '';
export const isStepUp = stepUp !== '';

/**
 * The tenants whose required factor counts. An application's own requirement stands for one.
 * @param {AccountTenant[]} Tenants
 * @returns {Requirement[]}
 */
function requiring(Tenants) {
  if (!isStepUp) return Tenants;
  if (stepUp === 'tenant') return Tenants.filter(isInAddress);
  return [{ RequireFactor: stepUp === 'phishing_resistant' ? stepUp : 'any' }];
}

/**
 * The requirement to meet, or undefined.
 * @param {Account_GetRes} account
 */
export const findRequirement = ({ Tenants }) => requiring(Tenants)[0];

/**
 * The tenant whose required factor the session lacks, or undefined.
 * @param {Account_GetRes} account
 */
export const findUnmet = ({ Tenants, Assurance }) =>
  requiring(Tenants).find(
    (tenant) =>
      !meetsFactor(tenant, Assurance) && new Date(tenant.FactorRequiredFrom ?? 0) <= new Date(),
  );

/** On a page that adds a factor: goes on if the session has it now, else signs in with it. */
export async function continueEnrolled() {
  const account = await call('Account_Get', {});
  if (findUnmet(account)) return leaveFor(withReturn('login', { again: '1' }));
  await leaveOnward();
  // The user chooses a tenant first.
  return leaveFor(withReturn('login'));
}

/** Whether this page adds a factor on the way to an application. */
export const isEnrolling = query.has('enrol');
