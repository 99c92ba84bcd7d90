import { Empty } from '../parts/empty.tsx';
import { ListView } from '../parts/list-view.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useEntryColumns } from './entries.tsx';

/** The audit of the platform: its users, operators, keys and providers. */
export function AuditPage() {
  const { t } = useTexts();
  return (
    <Page title={t('audit.title')} description={t('platform.auditAbout')}>
      <ListView
        operation="Audit_List"
        request={{}}
        label={t('audit.title')}
        columns={useEntryColumns()}
        idOf={({ ID }) => ID}
        empty={<Empty icon="history" title={t('audit.none')} description={t('audit.noneAbout')} />}
      />
    </Page>
  );
}
