import { Button, Group } from '@mantine/core';
import { Icon } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { Entries } from './entries.tsx';
import { ExportMenu } from './export-menu.tsx';
import { toFilter } from './search.ts';
import { useAuditSearch } from './use-search.ts';
import { VerifyDialog } from './verify-dialog.tsx';

/** The audit of a tenant: filters, entries, export and verification. */
export function AuditPage() {
  const { t } = useTexts();
  const { ID, Name, may } = useTenant();
  const { search, setVerifying } = useAuditSearch();
  return (
    <Page
      title={t('audit.title')}
      description={t('audit.about', { tenant: Name })}
      actions={
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<Icon name="shield" />}
            onClick={() => setVerifying(true)}
          >
            {t('audit.verify')}
          </Button>
          {may('iam.audit.export') && <ExportMenu tenant={ID} filter={toFilter(search)} />}
        </Group>
      }
    >
      <Entries />
      {search.panel === 'verify' && <VerifyDialog onClose={() => setVerifying(false)} />}
    </Page>
  );
}
