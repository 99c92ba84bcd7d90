import { Entries } from '../audit/entries.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';

/** The audit of the platform: its users, operators, keys and providers. */
export function AuditPage() {
  const { t } = useTexts();
  return (
    <Page title={t('audit.title')} description={t('platform.auditAbout')}>
      <Entries />
    </Page>
  );
}
