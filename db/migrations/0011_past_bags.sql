CREATE TABLE `past_bags` (
	`id` integer PRIMARY KEY NOT NULL,
	`day` integer NOT NULL,
	`licence_plate` integer NOT NULL,
	`flight_day` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `past_bags_by_day` ON `past_bags` (`day`,`licence_plate`);--> statement-breakpoint
DROP INDEX `travel_plans_by_locator`;--> statement-breakpoint
DROP INDEX `travel_plans_booking`;--> statement-breakpoint
CREATE UNIQUE INDEX `travel_plans_booking` ON `travel_plans` (`locator_hash`,`airline`,`first_flight_date`);