import { describeLogo, type LogoFacts, logoFields, logoProblem } from '@bailiwick/contract';
import type {
  Tenant,
  TenantBranding,
  TenantBrandingChange,
  TenantChange,
} from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { accentProblem } from '@bailiwick/texts';

// How the pages and mails about a tenant look. The logo has a table of its own, so that no list of
// tenants reads images.

/** The branding that a tenant has set. Unset fields are absent. */
export type StoredBranding = {
  name?: string;
  accentColor?: string;
  termsUrl?: string;
  privacyUrl?: string;
  logo?: LogoFacts;
};

type BrandingInput = Partial<TenantBranding> | TenantBrandingChange | undefined;

/** The rules that the proto file cannot express: contrast, and the content of an image. */
export function brandingProblems(tenant: Tenant | TenantChange | undefined): string[] {
  const { accentColor = '', ...rest } = tenant?.branding ?? {};
  const logo = 'logo' in rest ? rest.logo : undefined;
  const isColor = /^#[0-9a-f]{6}$/i.test(accentColor);
  const problems = [
    ['AccentColor', isColor ? accentProblem(accentColor) : undefined],
    ['Logo', logoProblem(logo)],
  ];
  return problems.flatMap(([field, problem]) =>
    problem === undefined ? [] : [`Tenant.Branding.${field} ${problem}`],
  );
}

/** Merges the branding of a request into the stored one. */
export function mergeBranding(stored: StoredBranding, input: BrandingInput): StoredBranding {
  const { name, accentColor, termsUrl, privacyUrl, logo } = {
    ...stored,
    ...(input?.name !== undefined && { name: input.name }),
    ...(input?.accentColor !== undefined && { accentColor: input.accentColor.toLowerCase() }),
    ...(input?.termsUrl !== undefined && { termsUrl: input.termsUrl }),
    ...(input?.privacyUrl !== undefined && { privacyUrl: input.privacyUrl }),
    logo: input && 'logo' in input && input.logo ? describeLogo(input.logo) : stored.logo,
  };
  return {
    ...(name && { name }),
    ...(accentColor && { accentColor }),
    ...(termsUrl && { termsUrl }),
    ...(privacyUrl && { privacyUrl }),
    ...(logo && { logo }),
  };
}

export function toBranding(tenant: string, { logo, ...branding }: StoredBranding) {
  return {
    ...branding,
    ...(logo && logoFields(tenant, logo)),
  };
}
