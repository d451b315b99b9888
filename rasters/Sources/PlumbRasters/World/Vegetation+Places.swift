// The positions of places, by longitude and latitude; radii are in kilometres.
extension Vegetation {
  static let towns = [
    Spot(18.43, -33.925, radius: 4.5, weight: 0.9), Spot(18.48, -33.98, radius: 6, weight: 0.8),
    Spot(18.55, -33.92, radius: 6.5, weight: 0.7), Spot(18.62, -33.90, radius: 6, weight: 0.6),
    Spot(18.53, -34.03, radius: 6, weight: 0.7), Spot(18.61, -34.03, radius: 5.5, weight: 0.8),
    Spot(18.68, -34.01, radius: 5, weight: 0.6), Spot(18.64, -33.85, radius: 4, weight: 0.5),
    Spot(18.70, -33.87, radius: 3.5, weight: 0.6), Spot(18.50, -33.82, radius: 4, weight: 0.7),
    Spot(18.43, -34.13, radius: 2.5, weight: 0.7), Spot(18.37, -34.135, radius: 2.2, weight: 0.6),
    Spot(18.36, -34.03, radius: 2, weight: 0.7), Spot(18.86, -33.935, radius: 3, weight: 0.9),
    Spot(18.84, -34.09, radius: 4.2, weight: 0.9), Spot(18.97, -33.73, radius: 3.6, weight: 0.9),
    Spot(19.01, -33.65, radius: 2.8, weight: 0.8), Spot(18.49, -33.565, radius: 2.8, weight: 0.9),
    Spot(18.73, -33.46, radius: 2.2, weight: 0.9), Spot(19.45, -33.645, radius: 3, weight: 0.9),
    Spot(19.23, -34.41, radius: 2.8, weight: 0.9), Spot(18.38, -33.375, radius: 1.5, weight: 0.9),
    Spot(19.12, -33.91, radius: 1.6, weight: 0.9), Spot(19.31, -33.37, radius: 2, weight: 0.9),
  ]

  static let vines = [
    Spot(18.82, -33.93, radius: 10, weight: 0.75), Spot(18.97, -33.80, radius: 8, weight: 0.6),
    Spot(18.42, -34.04, radius: 3, weight: 0.9), Spot(18.64, -33.80, radius: 5, weight: 0.5),
    Spot(19.10, -33.90, radius: 5, weight: 0.8), Spot(18.95, -33.62, radius: 10, weight: 0.5),
    Spot(19.35, -33.65, radius: 13, weight: 0.7), Spot(19.75, -33.82, radius: 16, weight: 0.7),
    Spot(19.03, -34.17, radius: 8, weight: 0.7), Spot(19.31, -33.30, radius: 9, weight: 0.7),
    Spot(18.83, -34.03, radius: 4, weight: 0.6),
  ]

  static let woods = [
    Spot(18.435, -33.985, radius: 2.2, weight: 0.9), Spot(18.41, -34.05, radius: 2.5, weight: 0.9),
    Spot(18.95, -33.98, radius: 3, weight: 0.8), Spot(19.06, -34.10, radius: 6, weight: 0.55),
    Spot(18.35, -34.03, radius: 1, weight: 0.8), Spot(19.02, -33.92, radius: 3, weight: 0.6),
  ]

  static let dams = [
    Spot(19.20, -34.03, radius: 3.6), Spot(19.25, -34.06, radius: 3.2),
    Spot(19.17, -34.07, radius: 1.9), Spot(19.04, -33.34, radius: 1.9),
    Spot(19.04, -33.375, radius: 1.7), Spot(19.055, -33.905, radius: 1.5),
    Spot(18.885, -34.165, radius: 1.0), Spot(19.43, -33.70, radius: 2.2),
    Spot(18.51, -34.06, radius: 0.8), Spot(18.53, -34.075, radius: 0.5),
    Spot(18.855, -33.965, radius: 0.5), Spot(18.73, -33.805, radius: 0.4),
    Spot(19.22, -34.405, radius: 0.8), Spot(18.04, -33.14, radius: 1.6),
    Spot(18.06, -33.17, radius: 1.5),
  ]

  static let wetlands = [
    Spot(18.52, -34.065, radius: 2.2, weight: 0.8), Spot(18.49, -33.86, radius: 1.8, weight: 0.8),
    Spot(19.18, -34.36, radius: 2.2, weight: 0.7), Spot(19.86, -34.73, radius: 6, weight: 0.6),
    Spot(18.06, -33.19, radius: 2.6, weight: 0.8), Spot(18.79, -33.35, radius: 3, weight: 0.4),
  ]

  static let dunes = [
    Spot(18.62, -34.12, radius: 7, weight: 0.7), Spot(18.44, -33.66, radius: 7, weight: 0.65),
    Spot(18.36, -34.10, radius: 1.6, weight: 0.9), Spot(19.37, -34.49, radius: 5, weight: 0.8),
    Spot(19.72, -34.77, radius: 9, weight: 0.6), Spot(18.18, -33.37, radius: 4, weight: 0.5),
  ]
}
