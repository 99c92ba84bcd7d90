import { markPath, productName } from '@bailiwick/texts/face.ts';
import { useCall } from './calls.ts';
import { pageAt } from './place.ts';

// The brand of the installation, which the gateway writes into the page, and those of tenants.

const metaOf = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`) ?? undefined;

/** The name of the service. It ends the title of every view. */
export const serviceName: string = metaOf('application-name')?.content ?? productName;

const logo = metaOf('bailiwick-logo');

/** The mark of the product, beside its name. */
const Mark = () => (
  <svg aria-hidden="true" width={20} height={20} viewBox="4 4 24 24" className="console-mark">
    <path d={markPath} />
  </svg>
);

type LogoProps = { src: string; width: number; height: number };

/** A logo with its size, so that nothing moves when it has arrived. */
const Logo = ({ src, width, height }: LogoProps) => {
  const scale = Math.min(1, 120 / width, 24 / height);
  return (
    <img
      className="console-logo"
      src={src}
      alt=""
      width={Math.max(1, Math.round(width * scale))}
      height={Math.max(1, Math.round(height * scale))}
    />
  );
};

/** The logo and the name of the service; those of the product without a brand. */
export const ServiceBrand = () => (
  <>
    {logo ? (
      <Logo
        src={logo.content}
        width={Number(logo.dataset['width'])}
        height={Number(logo.dataset['height'])}
      />
    ) : (
      serviceName === productName && <Mark />
    )}
    <span data-beside={logo !== undefined || serviceName === productName}>{serviceName}</span>
  </>
);

/** The logo of a tenant, by its ID or slug. Nothing for a tenant without one. */
export function TenantLogo({ tenant }: { tenant: string }) {
  const { data } = useCall('Tenants_GetBranding', { Tenant: tenant }, { staleTime: 600_000 });
  const { LogoPath = '', LogoWidth = 0, LogoHeight = 0 } = data?.Branding ?? {};
  if (LogoPath === '' || LogoWidth === 0 || LogoHeight === 0) return undefined;
  return <Logo src={pageAt(LogoPath.slice(1))} width={LogoWidth} height={LogoHeight} />;
}
