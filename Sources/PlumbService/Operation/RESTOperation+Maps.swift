/// The operations of map services.
extension RESTOperation {
  static let ofExport: [RESTParameter] = [
    RESTParameter.used(
      "bbox", "bboxSR", "imageSR", "size", "dpi", "format", "transparent", "layers", "layerDefs",
      "time", "date", "mapScale", "rotation"),
    timeRelation, drawn, versions,
    RESTParameter.refused("selectionDefinitions", "no features are highlighted"),
  ].flatMap { $0 }

  static let ofIdentify: [RESTParameter] = [
    RESTParameter.used(
      "geometry", "sr", "layers", "layerDefs", "time", "tolerance", "mapExtent", "imageDisplay",
      "returnGeometry", "maxAllowableOffset", "geometryPrecision", "returnZ", "returnM",
      "returnUnformattedValues"),
    geometryType,
    RESTParameter.ignored("returnFieldName", "the alias of a field is its name"),
    timeRelation, drawn, versions,
  ].flatMap { $0 }

  static let ofLegend: [RESTParameter] = [
    dynamicLayers,
    RESTParameter.refused("size", "the pictures are 20 by 20 pixels", .words(["20,20", "20"])),
    RESTParameter.refused("returnVisibleOnly", "all layers are listed", .flag(false)),
  ].flatMap { $0 }

  static let ofLayers = dynamicLayers + ofFeatureLayers

  static let ofFeatureLayers: [RESTParameter] = [
    RESTParameter.ignored("returnUpdates", "descriptions always match the current data"),
    RESTParameter.ignored("returnDomainNames", "no field has a domain"),
    RESTParameter.ignored("returnAdvancedSymbols", "all symbols are simple"),
  ].flatMap { $0 }

  /// The unsupported parameters of operations that draw or query layers.
  private static let drawn: [RESTParameter] = [
    dynamicLayers,
    RESTParameter.refused("layerTimeOptions", "all layers with a time field are filtered by time"),
    RESTParameter.refused("datumTransformations", transformation),
    RESTParameter.refused("layerParameterValues", "layers have no parameters"),
    RESTParameter.refused("mapRangeValues", "layers have no ranges"),
    RESTParameter.refused("layerRangeValues", "layers have no ranges"),
    RESTParameter.refused("clipping", "layers are not clipped to a shape"),
    RESTParameter.refused("spatialFilter", "features are selected with layerDefs and time"),
  ].flatMap { $0 }

  private static let dynamicLayers = RESTParameter.refused(
    "dynamicLayers", "the map's layers are selected with layers and layerDefs", .none)

  /// Parameters of shapes.
  static let geometryType = RESTParameter.ignored(
    "geometryType", "the JSON of a shape contains its type")

  static let transformation = "the transformation is the most accurate that is installed"

  /// The parameter for the relation of features to the time span in `time`.
  static let timeRelation = RESTParameter.refused(
    "timeRelation", "a time extent includes both of its ends", .words(["esriTimeRelationOverlaps"]))

  /// Parameters of versioned databases.
  static let versions: [RESTParameter] = [
    RESTParameter.refused("gdbVersion", "the data have only one version", .words(["sde.DEFAULT"])),
    RESTParameter.refused("historicMoment", "the data have no archive"),
  ].flatMap { $0 }
}
