import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';

type Props = { CreatedAt?: string; LastUsedAt?: string };

/** When a way to sign in was added and last used. */
export function Added({ CreatedAt, LastUsedAt }: Props) {
  const { t } = useTexts();
  return (
    <>
      {t('security.added')} <Time at={CreatedAt} />
      {' · '}
      {LastUsedAt === undefined ? (
        t('security.unused')
      ) : (
        <>
          {t('security.used')} <Time at={LastUsedAt} />
        </>
      )}
    </>
  );
}
