-- The rows of a database whose newest migration was 0000_initial, one at least in every table, as the service wrote them
-- on 2026-11-20 at 12:00 UTC. Frozen with that migration. Its keys are in migrations.test.ts.
INSERT INTO clients (id, key_hash, name, enabled, login_methods, evidence_kinds, attestation_policy, federated_issuers, airlines, scopes, flags, b2b_secret_hash)
  VALUES ('c1', '3THXvRTTsbVXBnnGToVzjRXkL1uQ8td8kzr7Q8stQks', 'Passengers', 1, '["guest"]', '["none"]', '{}', '["https://host.example"]', '["SK"]', '["tag:read","tag:write","tag:unlock","journey:read","journey:bag"]', '{}', null);
INSERT INTO clients (id, key_hash, name, enabled, login_methods, evidence_kinds, attestation_policy, federated_issuers, airlines, scopes, flags, b2b_secret_hash)
  VALUES ('c2', 'ut-hH747OewzFEp4sPEVL3-OBOYKqIu5pq0AwP-tkf4', 'Kiosks', 1, '["b2b"]', '["b2b"]', '{}', '[]', '["SK"]', '["tag:read","tag:write","tag:unlock","journey:read","journey:write","tag:release","audit:read"]', '{"requireLoadedJourney":true}', 'hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh');
INSERT INTO client_origins (origin, client_id)
  VALUES ('https://page.example', 'c1');
INSERT INTO b2b_accounts (client_id, username, password_hash, airlines, enabled)
  VALUES ('c2', 'osl-1', '$scrypt$ln=14,r=8,p=1$6b002830AAAAAAAAAAAAAAAA$6b002830AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', '["SK"]', 1);
INSERT INTO federated_issuers (issuer, audience, jwks, jwks_url, algorithms, max_age_seconds, loads_travel_plans, enabled)
  VALUES ('https://host.example', 'taglatch', null, 'https://host.example/jwks', '["ES256"]', 300, 1, 1);
INSERT INTO devices (id, label, gatt_version, tag_spki_hash, model, registered_at, review_at)
  VALUES ('ebt-21-0001', 'EBT-21-0001', '2.1', 'sssssssssssssssssssssssssssssssssssssssssss', '{"bagTagModel":"One"}', 1795089600000, null);
INSERT INTO devices (id, label, gatt_version, tag_spki_hash, model, registered_at, review_at)
  VALUES ('hw:001122334455', '00:11:22:33:44:55', null, null, null, 1795089600000, 1829649600000);
INSERT INTO device_aliases (alias, device_id)
  VALUES ('hw:665544332211', 'ebt-21-0001');
INSERT INTO travel_plans (id, airline, locator_hash, locator_sealed, first_flight_date, ends_at, erased_at)
  VALUES ('p1', 'SK', 'YelvuWSiA8O8VHv3Ot-EH0t0ZiTXlZ8ckYWCKibmQQY', '18p3759Xv6GB4VNFAnBwxQvUjphKjaTydfsPEb8OFGkiYw', '2026-11-21', 1795435200000, null);
INSERT INTO journeys (id, plan_id, passenger_sealed, surname_tokens, surname_initial, departure_airport, destination_airport, destination_city, cabin, version)
  VALUES ('j1', 'p1', '-wETmRbScadordEUn-3QSldHbSgWQdhNnAmTVhsPErYNr_4Zye16O46eJVxLuxrp88tCs8qiINjkU175TGcYsRWwCWs', 'ETevb5t2MAxQYyzaRCeYJRZvE-5HlGJHeRrNjbMZQ3cavTIsLlk0DOUJMdFWOY8TGrTgOHnqccnVaxMoQgehdy8iXvWRMA4sK5avTZRxcJozk6kOxRB4NzJe_ZB_K4WMOWyLUGrROqTeTlaIdg3JWl7AFa5fgnGVk7ru8QBqJJFlKFXXmIPY78CpR7VqJKZUcxJyrRpYlgwiguG8ppu6Rnce2CND7gTbrTs9fNvwac9_55MKIFjEYZBz101sR6bNkOlxolWKPbEN18_mYjZOeKfgcub2FjqZ-A1T_Fsp1fewJxLQcdOi6AmY4_fCrSYStJA6gTUvzOpdsL877Oo8r7sedsxLjhuFn0-3TNHpF8bHlwoIirbmFL1rl0qLBFaBzfo3kvKwm-CqXzGKfmo8eNPWpZ72keo_MuQzFeKg9ETmp08BfDL4pGh31RBWOAO167f6HWwO0YRV4MVn5vWMo-6un_52NfLo9Ws27hYXAmvxSc7kA1arMzePBXU44VOT', 'H', 'OSL', 'ARN', 'Stockholm', 'Y', 3);
INSERT INTO flights (journey_id, position, carrier, number, date, from_airport, to_airport, scheduled_departure, scheduled_arrival)
  VALUES ('j1', 0, 'SK', '1234', '2026-11-21', 'OSL', 'ARN', 1795262400000, 1795266000000);
INSERT INTO bags (id, journey_id, licence_plate, flight_date, readable, flags, request_id)
  VALUES (7, 'j1', '0117123456', '2026-11-21', 'SK123456', 1, null);
INSERT INTO bags (id, journey_id, licence_plate, flight_date, readable, flags, request_id)
  VALUES (9, 'j1', '0117000041', '2026-11-21', 'SK000041', null, 'r1');
INSERT INTO plate_ranges (airline, leading, issuer, first_serial, last_serial, next_serial, issued_serial, request_id)
  VALUES ('SK', 0, '117', 1, 999, 42, 41, 'r1');
INSERT INTO loaded_plans (sub, plan_id, loaded_at)
  VALUES ('sub1', 'p1', 1795172400000);
INSERT INTO sessions (refresh_hash, client_bound, airlines, key_jwk, dpop_jkt, refresh_counter, refreshed_at, refresh_expires_at, created_at, expires_at, revoked_at, id, sub, client_id, method, evidence, scopes)
  VALUES ('xTkRcJh2YXBqUj9TRJHbPZXfAsfDTX4QZw42nBUCP-c', 1, '[]', null, null, 0, 1795172400000, 1795258800000, 1795172400000, 1797681600000, null, '6b002830AAAAAAAAAAAAAAAA', 'sub1', 'c1', 'guest', 'none', '["tag:read","tag:write","tag:unlock","journey:read","journey:bag"]');
INSERT INTO sessions (refresh_hash, client_bound, airlines, key_jwk, dpop_jkt, refresh_counter, refreshed_at, refresh_expires_at, created_at, expires_at, revoked_at, id, sub, client_id, method, evidence, scopes)
  VALUES ('grpO1Q7Df1eeMIaoBuHfeE5CSuJ27fKH_UIh7M7ndG4', 1, '["SK"]', null, null, 0, 1795172400000, 1795258800000, 1795172400000, 1797681600000, null, '6b002830BBBBBBBBBBBBBBBB', 'sub2', 'c2', 'b2b', 'b2b', '["tag:read","audit:read"]');
INSERT INTO device_ticket_locks (device_id, plan_id, journey_id, baggage_id, entitled, holder_sub, writer_sub, locked_at, ends_at, lost_at, request_id)
  VALUES ('ebt-21-0001', 'p1', 'j1', 7, 1, 'sub1', 'sub1', 1795172400000, 1795435200000, null, 'r2');
INSERT INTO failed_proofs (device_id, failures, last_failed_at, ends_at)
  VALUES ('ebt-21-0001', 2, 1795174200000, 1795435200000);
INSERT INTO guess_counters (key, count, ends_at, request_id)
  VALUES ('sub:sub1', 1, 1795179600000, 'r3');
INSERT INTO idempotency_records (day, sub, endpoint, key, body_hash, outcome, facts, created_at, expires_at)
  VALUES (20777, 'sub1', 'deviceAttachment', 'KFYHTCteJAxIovrNLZvywTVI27I_lnhTs1LZZXMTEGM', 'fx720cQTPdzU80BBjuiSiUIa0g7h4QpvCwcOPZLjGV8', 'ok', '{"journeyId":"j1","lockedAt":1795172400000}', 1795172400000, 1795258800000);
INSERT INTO audit_log (id, at, event, request_id, sub, client_id, airline, device_id, reason)
  VALUES (1, 1795172400000, 'bag_added', 'r1', 'sub1', 'c1', 'SK', null, null);
INSERT INTO audit_log (id, at, event, request_id, sub, client_id, airline, device_id, reason)
  VALUES (2, 1795172400000, 'tag_attached', 'r2', 'sub1', 'c1', 'SK', 'ebt-21-0001', null);
INSERT INTO audit_log (id, at, event, request_id, sub, client_id, airline, device_id, reason)
  VALUES (3, 1795175940000, 'invalid_nonce', 'r4', null, 'c1', 'SK', null, 'expired');
INSERT INTO audit_seals (id, from_id, to_id, count, rows_hash, previous_hash, sealed_at, kid, signature)
  VALUES (1, 1, 3, 3, 'z4wiA8-GVlSee0HSZ-sfgjiMP__sRhrUQyxrM7SObIE', '', 1795176000000, 'older', 'qusyy15rl2-f1HFkh7WQaj45UBD02pAGSyVzXAAaw-eout5ueDr0tb_RHq8LaMx9EiTmbchk1wQvovPFjX3wKg');
INSERT INTO attestation_credentials (client_id, format, id, public_key, counter, transports, sub, created_at, used_at, request_id)
  VALUES ('c1', 'webauthn', 'cred1', 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk', 5, '["internal"]', 'sub1', 1795089600000, 1795172400000, 'r5');
INSERT INTO certificates (serial, session_id, sub, client_id, spki_hash, issued_at, expires_at)
  VALUES ('40404040404040404040404040404040', '6b002830AAAAAAAAAAAAAAAA', 'sub1', 'c1', 'ttttttttttttttttttttttttttttttttttttttttttt', 1795172400000, 1795780800000);
INSERT INTO used_once (ends_at, hash)
  VALUES (1795176600000, 'satDF_OP1cmc_COwJdoNeOnaFPuEduVfJu_OHLMDw04');
INSERT INTO revoked_keys (spki_hash, revoked_at)
  VALUES ('uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu', 1795172400000);
INSERT INTO staff_members (client_id, staff_id, pin_hash, enabled)
  VALUES ('c2', '1001', '$scrypt$ln=14,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 1);
INSERT INTO staff_names (client_id, staff_id, name_sealed)
  VALUES ('c2', '1001', 'sealed');
INSERT INTO webhooks (id, url, airlines, secret_sealed, place_id, place_at, due_at, failures, created_at)
  VALUES ('dcs', 'https://dcs.example.com/hook', '["SK"]', 'sealed', 2, 1795172400000, 1795172400000, 0, 1795172400000);
