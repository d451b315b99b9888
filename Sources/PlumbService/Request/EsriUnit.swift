/// Length and area units by Esri's codes and names.
enum EsriUnit {
  /// Returns the number of metres in a length unit; nil for an unknown unit.
  static func metres(_ code: String) -> Double? {
    switch code.lowercased() {
    case "9001", "esrisrunit_meter", "esrimeters": 1
    case "9036", "esrisrunit_kilometer", "esrikilometers": 1000
    case "9002", "esrisrunit_foot", "esrifeet": 0.3048
    case "9003", "esrisrunit_surveyfoot", "esrisrunit_ussurveyfoot": 1200.0 / 3937
    case "9093", "esrisrunit_statutemile", "esrimiles": 1609.344
    case "9035", "esrisrunit_surveymile": 5280 * 1200.0 / 3937
    case "9030", "esrisrunit_nauticalmile", "esrinauticalmiles": 1852
    case "109012", "esrisrunit_usnauticalmile": 1853.248
    case "9096", "esrisrunit_yard", "esriyards": 0.9144
    case "109009", "esriinches": 0.0254
    case "1033", "esricentimeters": 0.01
    case "1025", "esrimillimeters": 0.001
    default: nil
    }
  }

  /// Returns the number of square metres in an area unit; nil for an unknown unit.
  static func squareMetres(_ code: String) -> Double? {
    switch code.lowercased() {
    case "109404", "esrisquaremeters": 1
    case "109414", "esrisquarekilometers": 1e6
    case "109405", "esrisquarefeet": 0.3048 * 0.3048
    case "109406", "esrisquareussurveyfeet": 1200.0 / 3937 * 1200.0 / 3937
    case "109439", "esrisquaremiles": 1609.344 * 1609.344
    case "109442", "esrisquareyards": 0.9144 * 0.9144
    case "109401", "esrihectares": 1e4
    case "109402", "esriacres": 4046.8564224
    case "109403", "esriacresus": 4046.872609874252
    case "109463", "esriares": 100
    default: nil
    }
  }
}
