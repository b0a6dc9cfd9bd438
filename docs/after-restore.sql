-- Marks the work that may have gone on since the copy: docs/operating.md, “Scale out”
update renders set state = 'uncertain' where state = 'reserved';
update jobs set state = 'failed' where state in ('running', 'asking', 'asked');
delete from keyv where key like '%gateway session %';
insert into keyv (key, value) select 'restored', cast(max(created_at) as text) from jobs where true having count(*) > 0 on conflict (key) do update set value = excluded.value;
